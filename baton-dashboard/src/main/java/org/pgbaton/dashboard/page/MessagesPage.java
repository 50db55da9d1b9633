package org.pgbaton.dashboard.page;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.dashboard.look.FoundMessage;
import org.pgbaton.dashboard.look.MessageSearch;
import org.pgbaton.dashboard.page.Page.Region;

/** Where a message is: written, handled, published, parked. */
final class MessagesPage {
    private MessagesPage() {}

    static Page render(Scene scene) {
        String sought = scene.asked("q");
        List<Region> regions = new ArrayList<>();
        regions.add(new Region("found", sought == null ? nothingAsked() : found(scene, sought.strip())));
        return new Page("Find a message", "/messages", regions);
    }

    private static Markup nothingAsked() {
        return Parts.empty(
                "Look for a message by its id, its position or its key.",
                "You see when it was written, and how far each subscription is with it.");
    }

    private static Markup found(Scene scene, String sought) {
        List<FoundMessage> messages = scene.search().find(sought, scene.now());
        if (messages.isEmpty()) {
            return Parts.empty(
                    "Nothing was found for ‘" + Words.shortened(sought, 60) + "’.",
                    "For a key the latest " + Words.number(MessageSearch.LOOKED_THROUGH)
                            + " rows of its lane are looked through; retention may have removed it.");
        }
        return Markup.join(messages.stream().map(each -> message(scene, each)).toList());
    }

    private static Markup message(Scene scene, FoundMessage message) {
        List<Markup> stops = new ArrayList<>();
        stops.add(Markup.of(
                "<li class=\"good\"><strong>Written</strong> <span class=\"aside\">{}, to log ‘{}’, lane {}</span></li>",
                Words.clock(message.recordedAt()),
                message.log(),
                message.lane()));
        for (FoundMessage.Stop stop : message.path()) {
            stops.add(stop(scene, message, stop));
        }
        return Markup.of(
                """
                <section class="panel"><h2>Message {} <span class="aside">key <a href="{}">{}</a>{}</span></h2>\
                <ol class="timeline">{}</ol>{}</section>""",
                message.position(),
                scene.link("/messages", "q", message.key()),
                Words.shortened(message.key(), 60),
                message.type() == null ? "" : ", type " + message.type(),
                stops,
                content(scene, message));
    }

    private static Markup stop(Scene scene, FoundMessage message, FoundMessage.Stop stop) {
        String kind = switch (stop.state()) {
            case HANDLED -> "good";
            case PARKED -> "bad";
            case SKIPPED, RETRYING, SLOW -> "warn";
            case WAITING -> "";
        };
        Markup at = stop.at() != null
                ? Words.clock(stop.at())
                : stop.before() != null ? Markup.of("before {}", Words.clock(stop.before())) : Markup.NOTHING;
        boolean isAside = stop.state() == FoundMessage.State.PARKED || stop.state() == FoundMessage.State.RETRYING;
        String link = isAside
                ? scene.link(
                        "/parked/key",
                        "subscription",
                        stop.subscription().name(),
                        "target",
                        stop.subscription().target(),
                        "key",
                        message.key())
                : scene.link(
                        "/subscription",
                        "name",
                        stop.subscription().name(),
                        "target",
                        stop.subscription().target());
        return Markup.of(
                "<li class=\"{}\"><strong><a href=\"{}\">{}</a></strong> {} <span class=\"aside\">{} {}</span></li>",
                kind,
                link,
                stop.subscription().title(),
                Parts.chip(stop.state().word()),
                stop.sentence(),
                at);
    }

    /** Id, headers and payload, as text. */
    static Markup content(Scene scene, FoundMessage message) {
        Markup payload = !scene.showsPayloads()
                ? ParkedKeyPage.hidden(message)
                : message.json() == null
                        ? Markup.of("<p class=\"aside\">{} of binary data.</p>", Words.count(message.bytes(), "byte"))
                        : Markup.of("<pre class=\"payload\" tabindex=\"0\">{}</pre>", message.json());
        Markup headers = message.headers() == null || !scene.showsPayloads()
                ? Markup.NOTHING
                : Markup.of("<dt>Headers</dt><dd><code>{}</code></dd>", message.headers());
        Markup redact = scene.isOperator()
                ? Parts.button(
                        scene.link(
                                "/confirm",
                                "action",
                                "redact",
                                "log",
                                message.log(),
                                "position",
                                Long.toString(message.position())),
                        "Redact the payload",
                        "small danger")
                : Markup.NOTHING;
        return Markup.of(
                "<dl class=\"facts\"><dt>Id</dt><dd><code>{}</code></dd>{}{}</dl>{}{}",
                message.id(),
                message.topic() == null ? Markup.NOTHING : Markup.of("<dt>Topic</dt><dd>{}</dd>", message.topic()),
                headers,
                payload,
                redact);
    }
}
