package org.pgbaton.chaos.report;

import org.jspecify.annotations.Nullable;

/** A round in {@link HtmlReport}: one line, and behind it everything that is known. */
final class RoundDetails {
    private RoundDetails() {}

    static String of(RoundEntry round, boolean open) {
        String state = round.isViolated() ? "violated" : round.isVoid() ? "void" : "held";
        StringBuilder html = new StringBuilder();
        html.append("<details class=\"round ")
                .append(state)
                .append(open ? "\" open>" : "\">")
                .append("\n<summary><b>")
                .append(Html.text(round.scenario()))
                .append("</b><b>")
                .append(Html.text(round.fault()))
                .append("</b><span class=\"state\">")
                .append(state)
                .append("</span>");
        fact(html, "calm", round.calmMillis());
        fact(html, "takeover", round.takeoverMillis());
        html.append("<span class=\"quiet when\">")
                .append(HtmlReport.time(round.begun()))
                .append("</span></summary>\n<div class=\"inside\">\n");
        violations(html, round);
        if (round.why() != null) {
            html.append("<p>Void: ").append(Html.text(round.why())).append("</p>\n");
        }
        html.append(TimeLineDrawing.of(round));
        events(html, round);
        html.append("<p class=\"quiet\">PostgreSQL ")
                .append(round.postgres())
                .append(", seed ")
                .append(round.seed())
                .append(", ")
                .append(Html.format("%.1f", round.seconds()))
                .append(" s, ")
                .append(Numbers.grouped(round.done()))
                .append(" done. Again:</p>\n<pre>")
                .append(command(round))
                .append("</pre>\n</div>\n</details>\n");
        return html.toString();
    }

    /** No line ends inside an option. */
    private static String command(RoundEntry round) {
        return "<span>" + Html.text(round.command()).replace(" --", "</span> <span>--") + "</span>";
    }

    private static void fact(StringBuilder html, String what, @Nullable Long millis) {
        html.append("<span class=\"fact\">");
        if (millis != null) {
            html.append("<i>").append(what).append("</i> ").append(Numbers.millis(millis));
        }
        html.append("</span>");
    }

    private static void violations(StringBuilder html, RoundEntry round) {
        if (round.isViolated()) {
            html.append("<ul class=\"violations\">\n");
            round.violations()
                    .forEach(each -> html.append("<li><b>")
                            .append(Html.text(each.invariant()))
                            .append("</b> ")
                            .append(Html.text(each.what()))
                            .append("</li>\n"));
            html.append("</ul>\n");
        }
    }

    private static void events(StringBuilder html, RoundEntry round) {
        if (!round.events().isEmpty()) {
            html.append("<table class=\"events\">\n");
            round.events()
                    .forEach(event -> html.append("<tr><td>")
                            .append(Numbers.millis(event.millis()))
                            .append("</td><td>")
                            .append(Html.text(event.what()))
                            .append("</td></tr>\n"));
            html.append("</table>\n");
        }
    }
}
