package org.pgbaton.dashboard.page;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.look.Details;
import org.pgbaton.dashboard.look.ErrorGroup;
import org.pgbaton.dashboard.page.Page.Region;
import org.pgbaton.subscription.ParkedKey;

/** Keys that wait, their errors in groups, and what can be done about many of them at once. */
final class ParkedPage {
    private ParkedPage() {}

    static Page render(Scene scene) {
        String subscription = scene.asked("subscription");
        String error = scene.asked("error");
        List<Region> regions = new ArrayList<>();
        regions.add(new Region("parked-head", head(scene, subscription, error)));
        regions.add(new Region("errors", errors(scene, subscription)));
        regions.add(new Region("keys", keys(scene, subscription, error)));
        return new Page("Parked keys", "/parked", regions);
    }

    private static Markup head(Scene scene, @Nullable String subscription, @Nullable String error) {
        List<Markup> buttons = new ArrayList<>();
        if (scene.isOperator() && subscription != null) {
            buttons.add(Parts.button(
                    error == null
                            ? scene.link("/confirm", "action", "retry-all", "subscription", subscription)
                            : scene.link(
                                    "/confirm", "action", "retry-all", "subscription", subscription, "error", error),
                    "Retry them all",
                    ""));
        }
        Markup filter = subscription == null && error == null
                ? Markup.of("A key waits when its first message keeps failing; all other keys go on.")
                : Markup.of(
                        "Only {}{}. <a href=\"{}\">Show all</a>",
                        subscription == null ? "" : "subscription ‘" + subscription + "’",
                        error == null ? "" : " with errors like ‘" + Words.shortened(error, 60) + "’",
                        scene.link("/parked"));
        return Markup.of("""
                <div class="page-head"><div><h1>Parked keys</h1><p>{}</p></div><div class="buttons">{}</div></div>""", filter, buttons);
    }

    private static Markup errors(Scene scene, @Nullable String subscription) {
        List<ErrorGroup> groups = scene.details().errors().stream()
                .filter(each -> subscription == null || each.subscription().equals(subscription))
                .toList();
        if (groups.isEmpty()) {
            return Markup.NOTHING;
        }
        List<Markup> items = new ArrayList<>();
        for (ErrorGroup group : groups) {
            String common = common(group.text());
            Markup retry = scene.isOperator() && group.target().isEmpty()
                    ? Parts.button(
                            scene.link(
                                    "/confirm",
                                    "action",
                                    "retry-all",
                                    "subscription",
                                    group.subscription(),
                                    "target",
                                    group.target(),
                                    "error",
                                    common),
                            "Retry these",
                            "small")
                    : Markup.NOTHING;
            items.add(Markup.of(
                    """
                    <li><div><code>{}</code><p class="aside">{} of ‘{}’, {}, the last {}</p></div>\
                    <div class="buttons"><a class="button small" href="{}">Show keys</a>{}</div></li>""",
                    Words.shortened(group.example(), 220),
                    Words.count(group.keys(), "key"),
                    group.subscription(),
                    Words.count(group.waiting(), "message"),
                    Words.ago(group.latest()),
                    scene.link("/parked", "subscription", group.subscription(), "error", common),
                    retry));
        }
        return Parts.panel(
                "Errors", "grouped; numbers do not matter", Markup.of("<ul class=\"errors\">{}</ul>", items));
    }

    /** The longest part of the error that all keys of the group have: what stands between two numbers. */
    static String common(String grouped) {
        String longest = "";
        for (String part : grouped.split("#")) {
            longest = part.length() > longest.length() ? part : longest;
        }
        String line = longest.strip();
        return line.substring(0, Math.min(120, line.length()));
    }

    private static Markup keys(Scene scene, @Nullable String subscription, @Nullable String error) {
        List<ParkedKey> keys = scene.details().parked(subscription, error, Details.MOST_KEYS);
        if (keys.isEmpty()) {
            return Parts.panel("Keys", Parts.empty("No key waits.", "Every key goes on. Nothing to do."));
        }
        List<List<Markup>> rows = keys.stream().map(key -> row(scene, key)).toList();
        Markup more = keys.size() < Details.MOST_KEYS
                ? Markup.NOTHING
                : Markup.of("<p class=\"aside\">The first {} are shown.</p>", keys.size());
        return Parts.panel(
                "Keys",
                Markup.of(
                        "{}{}",
                        Parts.table(
                                "Keys that wait",
                                List.of(
                                        "Key",
                                        "Subscription",
                                        "State",
                                        "Blocked by",
                                        "Attempt",
                                        "Next try",
                                        "Waiting",
                                        "Error"),
                                rows),
                        more));
    }

    private static List<Markup> row(Scene scene, ParkedKey key) {
        return List.of(
                Markup.of("<a href=\"{}\">{}</a>", link(scene, key), Words.shortened(key.key(), 60)),
                Parts.text(
                        key.target().isEmpty() ? key.subscription() : key.subscription() + " (" + key.target() + ")"),
                Parts.chip(key.state().word()),
                Markup.of("message <span class=\"num\">{}</span>", key.head()),
                Markup.of("<span class=\"num\">{}</span>", key.attempts()),
                nextTry(key),
                Markup.of("<span class=\"num\">{}</span>", Words.number(key.waiting())),
                Markup.of(
                        "<span class=\"error\">{}</span>",
                        key.error() == null ? "" : Words.shortened(key.error(), 140)));
    }

    static Markup nextTry(ParkedKey key) {
        return key.state() == ParkedKey.State.PARKED
                ? Markup.of("<span class=\"aside\">when asked</span>")
                : Words.when(key.nextAttemptAt());
    }

    static String link(Scene scene, ParkedKey key) {
        return scene.link("/parked/key", "subscription", key.subscription(), "target", key.target(), "key", key.key());
    }
}
