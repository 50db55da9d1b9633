package org.pgbaton.chaos.report;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code report.html}: one page that needs nothing beside it. */
final class HtmlReport {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("d MMM uuuu, HH:mm", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    private HtmlReport() {}

    static String of(Totals totals, Grid grid, Instant now) {
        StringBuilder page = new StringBuilder("""
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>Baton: rounds</title>
                <style>
                """)
                .append(Html.resource("report.css"))
                .append("</style>\n</head>\n<body>\n<main>\n");
        header(page, totals, now);
        page.append(Tables.matrix(totals, grid)).append(Tables.takeovers(totals, grid));
        rounds(page, totals);
        return page.append("</main>\n</body>\n</html>\n").toString();
    }

    private static void header(StringBuilder page, Totals totals, Instant now) {
        page.append("<header>\n<p class=\"name\">Baton, <code>./baton chaos</code></p>\n<h1 class=\"")
                .append(totals.isGood() ? "good" : totals.all().violated() > 0 ? "bad" : "")
                .append("\">")
                .append(Html.text(totals.verdict()))
                .append("</h1>\n<dl class=\"totals\">\n");
        total(page, "rounds", Numbers.grouped(totals.all().rounds()), "");
        total(
                page,
                "violated",
                Numbers.grouped(totals.all().violated()),
                totals.all().violated() == 0 ? "" : "bad");
        total(page, "void", Numbers.grouped(totals.all().without()), "");
        total(page, "time", Numbers.time(totals.all().hours()), "");
        total(page, "messages and writes", Numbers.grouped(totals.all().done()), "");
        page.append("</dl>\n<p class=\"quiet\">")
                .append(versions(totals))
                .append(". First round ")
                .append(time(totals.first()))
                .append(", last ")
                .append(time(totals.last()))
                .append(", written ")
                .append(time(now))
                .append(" UTC.");
        if (totals.unreadable() > 0) {
            page.append(" Lines of rounds.jsonl that cannot be read and do not count: ")
                    .append(totals.unreadable())
                    .append('.');
        }
        page.append("</p>\n</header>\n");
    }

    private static void total(StringBuilder page, String what, String number, String style) {
        page.append("<div><dt>")
                .append(what)
                .append("</dt><dd class=\"")
                .append(style)
                .append("\">")
                .append(number)
                .append("</dd></div>\n");
    }

    private static String versions(Totals totals) {
        return totals.byPostgres().entrySet().stream()
                .map(each -> "PostgreSQL " + each.getKey() + ": "
                        + Numbers.rounds(each.getValue().rounds())
                        + (each.getValue().violated() == 0
                                ? ""
                                : ", " + Numbers.grouped(each.getValue().violated()) + " violated"))
                .collect(Collectors.joining("; "));
    }

    static String time(@Nullable Instant instant) {
        return instant == null ? "at an unknown time" : TIME.format(instant);
    }

    private static void rounds(StringBuilder page, Totals totals) {
        List<RoundEntry> violated = totals.violated();
        if (!violated.isEmpty()) {
            page.append("<section>\n<h2>Violated rounds</h2>\n");
            int more = totals.all().violated() - violated.size();
            if (more > 0) {
                page.append("<p class=\"quiet\">The first ")
                        .append(violated.size())
                        .append(" of them; the others are in rounds.jsonl.</p>\n");
            }
            for (int i = 0; i < violated.size(); i++) {
                page.append(RoundDetails.of(violated.get(i), i == 0));
            }
            page.append("</section>\n");
        }
        page.append("<section>\n<h2>Latest rounds</h2>\n");
        totals.latest().stream()
                .filter(round -> !violated.contains(round))
                .forEach(round -> page.append(RoundDetails.of(round, false)));
        page.append("</section>\n");
    }
}
