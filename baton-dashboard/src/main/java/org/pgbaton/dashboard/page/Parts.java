package org.pgbaton.dashboard.page;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.look.Lane;
import org.pgbaton.dashboard.look.Pace;
import org.pgbaton.dashboard.look.Sample;
import org.pgbaton.dashboard.look.Subscription;
import org.pgbaton.dashboard.look.Takeover;

/** Parts that several pages show. */
final class Parts {
    private static final int COLOURS = 10;
    private static final long MOVED_SECONDS = 6;
    private static final Duration SOON = Duration.ofSeconds(10);

    private Parts() {}

    static Markup panel(String title, Markup body) {
        return Markup.of("<section class=\"panel\"><h2>{}</h2>{}</section>", title, body);
    }

    static Markup panel(String title, String aside, Markup body) {
        return Markup.of(
                "<section class=\"panel\"><h2>{} <span class=\"aside\">{}</span></h2>{}</section>", title, aside, body);
    }

    /** A table that scrolls by itself on narrow screens. */
    static Markup table(String label, List<String> head, List<List<Markup>> rows) {
        List<Markup> columns = head.stream()
                .map(each -> Markup.of("<th scope=\"col\">{}</th>", each))
                .toList();
        List<Markup> lines = new ArrayList<>();
        for (List<Markup> row : rows) {
            List<Markup> cells = new ArrayList<>();
            for (int i = 0; i < row.size(); i++) {
                cells.add(
                        i == 0
                                ? Markup.of("<th scope=\"row\">{}</th>", row.get(i))
                                : row.get(i).isEmpty()
                                        ? Markup.of("<td></td>")
                                        : Markup.of(
                                                "<td data-label=\"{}\"><div>{}</div></td>", head.get(i), row.get(i)));
            }
            lines.add(Markup.of("<tr>{}</tr>", cells));
        }
        return Markup.of("""
                <div class="scroll" tabindex="0" role="group" aria-label="{}"><table><thead><tr>{}</tr></thead>\
                <tbody>{}</tbody></table></div>""", label, columns, lines);
    }

    static Markup text(@Nullable Object text) {
        return Markup.of("{}", text);
    }

    /** Something that is not there, and what to do if one wants it. */
    static Markup empty(String what, String how) {
        return Markup.of("<p class=\"empty\"><strong>{}</strong> {}</p>", what, how);
    }

    static Markup chip(String word) {
        String kind = switch (word.toLowerCase(Locale.ROOT)) {
            case "running", "handled", "new leader", "led", "done", "working", "published" -> "good";
            case "parked", "stopped", "lost", "failed", "vacant", "suspended", "fenced" -> "bad";
            case "retrying", "paused", "waiting", "skipped", "frozen", "cut off" -> "warn";
            default -> "plain";
        };
        return Markup.of("<span class=\"chip chip-{}\">{}</span>", kind, word);
    }

    /** A process, with the colour of its lanes. */
    static Markup process(Scene scene, @Nullable String name) {
        return name == null
                ? Markup.of("<span class=\"nobody\">nobody</span>")
                : Markup.of(
                        "<span class=\"who\"><span class=\"dot c{}\" aria-hidden=\"true\"></span>{}</span>",
                        colour(scene, name),
                        name);
    }

    static int colour(Scene scene, String process) {
        return scene.history().colourOf(process) % COLOURS;
    }

    /** A cell for each lane, in the colour of its owner. */
    static Markup lanes(Scene scene, Subscription subscription) {
        List<Markup> cells =
                subscription.lanes().stream().map(lane -> lane(scene, lane)).toList();
        return Markup.of(
                "<ol class=\"lanes{}\" aria-label=\"Lanes of {}\">{}</ol>",
                subscription.lanes().size() == 1 ? " one" : "",
                subscription.title(),
                cells);
    }

    private static Markup lane(Scene scene, Lane lane) {
        String label = lane.number() < 0 ? "all" : Integer.toString(lane.number());
        String owner = lane.owner();
        if (owner == null) {
            return Markup.of(
                    "<li class=\"lane free\" title=\"Lane {}: nobody owns it\">{}<span class=\"hidden\"> nobody</span></li>",
                    label,
                    label);
        }
        boolean moved = lane.ownedSince() != null
                && lane.ownedSince()
                        .plusSeconds(MOVED_SECONDS)
                        .isAfter(scene.now().at());
        return Markup.of(
                """
                <li class="lane c{}{}" title="Lane {}: {}, position {}">{}<span class="hidden"> {}</span></li>""",
                colour(scene, owner),
                moved ? " moved" : lane.waitingSince() == null ? "" : " busy",
                label,
                owner,
                Words.number(lane.position()),
                label,
                owner);
    }

    /** Every process and its colour. */
    static Markup legend(Scene scene) {
        List<Markup> entries = new ArrayList<>();
        for (Map.Entry<String, Integer> each : scene.now().processes().entrySet()) {
            entries.add(Markup.of(
                    "<li>{} <span class=\"aside\">{}</span></li>",
                    process(scene, each.getKey()),
                    Words.count(each.getValue(), "lane")));
        }
        return Markup.of("<ul class=\"legend\" aria-label=\"Processes\">{}</ul>", entries);
    }

    static Markup takeovers(Scene scene, List<Takeover> takeovers) {
        if (takeovers.isEmpty()) {
            return empty("No takeover was seen.", "This list fills while somebody looks.");
        }
        List<List<Markup>> rows = takeovers.stream()
                .map(each -> List.of(
                        Words.clock(each.at()),
                        kind(each),
                        text(Words.shortened(each.what(), 60)),
                        processes(scene, each.from()),
                        processes(scene, each.to()),
                        took(each)))
                .toList();
        return table("Takeovers", List.of("At", "What happened", "Of", "From", "To", "Without owner"), rows);
    }

    private static Markup kind(Takeover takeover) {
        if (takeover.lanes() == 0) {
            return chip("new leader");
        }
        return Markup.of(
                "{} {}", Words.count(takeover.lanes(), "lane"), takeover.handedOver() ? "handed over" : "taken over");
    }

    private static Markup processes(Scene scene, List<String> names) {
        return Markup.join(names.stream()
                .map(name -> Markup.of("<span class=\"item\">{}</span> ", process(scene, name)))
                .toList());
    }

    private static Markup took(Takeover takeover) {
        if (takeover.took() == null) {
            return Markup.of("<span class=\"aside\">{}</span>", takeover.handedOver() ? "not at all" : "unknown");
        }
        return Markup.of(
                "<span class=\"num\">{}{} ms</span>",
                takeover.lanes() == 0 ? "" : "at most ",
                Words.number(takeover.took().toMillis()));
    }

    /** "12 rows, 3.1 s", or a sign that nothing waits. */
    static Markup behind(Subscription subscription, Scene scene) {
        return subscription.waitingSince() == null
                ? Markup.of("<span class=\"calm\">nothing waits</span>")
                : Markup.of(
                        "<span class=\"num\">{}</span> rows, <span class=\"num\">{}</span>",
                        Words.number(subscription.behind()),
                        Words.duration(subscription.lag(scene.now().at())));
    }

    static Markup eta(Subscription subscription, Pace pace, Instant now) {
        if (subscription.waitingSince() == null || subscription.behind() == 0) {
            return Markup.of("<span class=\"calm\">up to date</span>");
        }
        return text(
                pace.left() != null
                        ? "in " + Words.duration(pace.left())
                        : subscription.lag(now).compareTo(SOON) < 0 ? "keeps up" : "not in sight");
    }

    /** Positions a second, from sample to sample. */
    static List<Double> rates(List<Sample> samples) {
        List<Double> rates = new ArrayList<>();
        for (int i = 1; i < samples.size(); i++) {
            double seconds =
                    Duration.between(samples.get(i - 1).at(), samples.get(i).at())
                                    .toNanos()
                            / 1e9;
            rates.add(Math.max(0, (samples.get(i).mean() - samples.get(i - 1).mean()) / Math.max(0.2, seconds)));
        }
        return rates;
    }

    static Markup button(String link, String label, String kind) {
        return Markup.of("<a class=\"button {}\" href=\"{}\" data-dialog>{}</a>", kind, link, label);
    }
}
