package org.pgbaton.dashboard.page;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.dashboard.look.FoundMessage;
import org.pgbaton.dashboard.page.Page.Region;
import org.pgbaton.subscription.ParkedKey;

/** One key that waits: why, since when, and what its first message says. */
final class ParkedKeyPage {
    private ParkedKeyPage() {}

    static Page render(Scene scene) {
        String subscription = String.valueOf(scene.asked("subscription"));
        String key = scene.query().getOrDefault("key", "");
        String target = scene.query().getOrDefault("target", "");
        return scene.details()
                .parkedKey(subscription, target, key)
                .map(each -> page(scene, each))
                .orElseGet(() -> new Page(
                        "Key " + key,
                        "/parked",
                        List.of(new Region(
                                "key",
                                Parts.panel(
                                        "Key ‘" + Words.shortened(key, 60) + "’",
                                        Parts.empty(
                                                "It does not wait in '" + subscription + "' (any more).",
                                                "It goes on by itself."))))));
    }

    private static Page page(Scene scene, ParkedKey key) {
        return new Page(
                "Key " + Words.shortened(key.key(), 60),
                "/parked",
                List.of(
                        new Region("head", head(scene, key)),
                        new Region("timeline", timeline(scene, key)),
                        new Region("message", message(scene, key))));
    }

    private static Markup head(Scene scene, ParkedKey key) {
        List<Markup> buttons = new ArrayList<>();
        if (scene.isOperator()) {
            String[] common = {"subscription", key.subscription(), "target", key.target(), "key", key.key()};
            buttons.add(Parts.button(link(scene, "retry", common), "Retry", "primary"));
            if (key.head() > 0) {
                buttons.add(Parts.button(
                        scene.link("/confirm", with("skip", common, "position", Long.toString(key.head()))),
                        "Skip message " + key.head(),
                        "danger"));
            }
        }
        return Markup.of(
                """
                <div class="page-head"><div><h1>Key <span class="mono">{}</span></h1>\
                <p>{} in ‘{}’: blocked by message <a href="{}">{}</a>, attempt {}, next try {}, {} waiting.</p></div>\
                <div class="buttons">{}</div></div>""",
                Words.shortened(key.key(), 80),
                Parts.chip(key.state().word()),
                key.subscription(),
                scene.link("/messages", "q", key.key()),
                key.head(),
                key.attempts(),
                ParkedPage.nextTry(key),
                Words.number(key.waiting()),
                buttons);
    }

    private static String link(Scene scene, String action, String[] common) {
        return scene.link("/confirm", with(action, common));
    }

    private static String[] with(String action, String[] common, String... more) {
        List<String> all = new ArrayList<>(List.of("action", action));
        all.addAll(List.of(common));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private static Markup timeline(Scene scene, ParkedKey key) {
        List<Markup> steps = new ArrayList<>();
        scene.search().find(Long.toString(key.head()), scene.now()).stream()
                .filter(each -> each.position() == key.head() && each.key().equals(key.key()))
                .findFirst()
                .ifPresent(head -> steps.add(step("Written", Words.clock(head.recordedAt()), Markup.NOTHING, "")));
        steps.add(
                step("Set aside", Words.clock(key.since()), Parts.text("others of this key wait since then"), "warn"));
        steps.add(step(
                "Attempt " + key.attempts() + (key.attempts() == 0 ? " is next" : " failed"),
                Markup.NOTHING,
                key.error() == null
                        ? Parts.text("no attempt has failed")
                        : Markup.of("<pre class=\"payload\">{}</pre>", key.error()),
                key.attempts() == 0 ? "" : "bad"));
        steps.add(
                key.state() == ParkedKey.State.PARKED
                        ? step("Waits for an operator", Markup.NOTHING, Parts.text("retry it, or skip the message"), "")
                        : step("Next try", Words.clock(key.nextAttemptAt()), Words.when(key.nextAttemptAt()), ""));
        return Parts.panel("Attempts", Markup.of("<ol class=\"timeline\">{}</ol>", steps));
    }

    private static Markup step(String title, Markup at, Markup more, String kind) {
        return Markup.of(
                "<li class=\"{}\"><strong>{}</strong> <span class=\"aside\">{}</span><div>{}</div></li>",
                kind,
                title,
                at,
                more);
    }

    private static Markup message(Scene scene, ParkedKey key) {
        return scene.search().find(Long.toString(key.head()), scene.now()).stream()
                .filter(each -> each.position() == key.head() && each.key().equals(key.key()))
                .findFirst()
                .map(each -> Parts.panel("Message " + key.head(), MessagesPage.content(scene, each)))
                .orElse(Markup.NOTHING);
    }

    /** For those who may not see payloads. */
    static Markup hidden(FoundMessage message) {
        return Markup.of(
                "<p class=\"empty\"><strong>The payload is hidden from you.</strong> It has {}.</p>",
                Words.count(message.bytes(), "byte"));
    }
}
