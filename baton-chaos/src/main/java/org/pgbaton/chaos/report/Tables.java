package org.pgbaton.chaos.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The tables of {@link HtmlReport}. */
final class Tables {
    private Tables() {}

    /** A row for each fault: there are more of them than scenarios, and a telephone is narrow. */
    static String matrix(Totals totals, Grid grid) {
        StringBuilder table = new StringBuilder("""
                <section>
                <h2>Rounds by scenario and fault</h2>
                <div class="scroll"><table class="matrix">
                <thead><tr><th></th>""");
        grid.scenarios()
                .forEach(each -> table.append("<th scope=\"col\"><span>")
                        .append(Html.text(each))
                        .append("</span></th>"));
        table.append("</tr></thead>\n<tbody>\n");
        for (String fault : grid.faults()) {
            table.append("<tr><th scope=\"row\">").append(Html.text(fault)).append("</th>");
            for (String scenario : grid.scenarios()) {
                Grid.Pair pair = new Grid.Pair(scenario, fault);
                table.append(cell(totals.byPair().get(pair), grid.pairs().contains(pair)));
            }
            table.append("</tr>\n");
        }
        return table.append("""
                </tbody></table></div>
                <p class="quiet">Number of rounds. <span class="key bad">2 of 14</span> two of them violated;
                <span class="key">14 <i>1 void</i></span> one came to no verdict; blank: does not apply.</p>
                </section>
                """).toString();
    }

    private static String cell(@Nullable Sum sum, boolean applies) {
        if (sum == null) {
            return applies ? "<td class=\"none\">0</td>" : "<td class=\"not\"></td>";
        }
        String count = sum.violated() > 0
                ? Numbers.grouped(sum.violated()) + " of " + Numbers.grouped(sum.rounds())
                : Numbers.grouped(sum.rounds());
        String without = sum.without() > 0 ? " <i>" + Numbers.grouped(sum.without()) + " void</i>" : "";
        String more = Numbers.grouped(sum.done()) + " done, calm after "
                + Numbers.millis(Sum.percentile(sum.calm(), 50)) + " (p50), "
                + Numbers.millis(Sum.percentile(sum.calm(), 100)) + " (worst)";
        return "<td class=\"" + (sum.violated() > 0 ? "bad" : "some") + "\" title=\"" + Html.text(more) + "\">" + count
                + without + "</td>";
    }

    static String takeovers(Totals totals, Grid grid) {
        List<String> faults = new ArrayList<>();
        long longest = 1;
        for (String fault : grid.faults()) {
            Sum sum = totals.byFault().get(fault);
            Long max = sum == null ? null : Sum.percentile(sum.takeovers(), 100);
            if (max != null) {
                faults.add(fault);
                longest = Math.max(longest, max);
            }
        }
        if (faults.isEmpty()) {
            return "";
        }
        StringBuilder table = new StringBuilder("""
                <section>
                <h2>Takeover</h2>
                <div class="scroll"><table class="takeover">
                <thead><tr><th></th><th>rounds</th><th>p50</th><th>p99</th><th>max</th><th class="dots">""");
        table.append("<span>0</span><span>")
                .append(Numbers.millis(longest))
                .append("</span></th></tr></thead>\n<tbody>\n");
        for (String fault : faults) {
            List<Long> sorted =
                    Objects.requireNonNull(totals.byFault().get(fault)).takeovers();
            takeovers(table, fault, sorted, longest);
        }
        return table.append("""
                </tbody></table></div>
                <p class="quiet">From <code>kill -9</code>, SIGSTOP or a cut until the last lane or leadership of the victim had another owner, looked
                at ten times a second. What a frozen process still owned when it woke up does not count.</p>
                </section>
                """).toString();
    }

    private static void takeovers(StringBuilder table, String fault, List<Long> sorted, long longest) {
        table.append("<tr><th scope=\"row\">")
                .append(Html.text(fault))
                .append("</th><td>")
                .append(Numbers.grouped(sorted.size()))
                .append("</td><td>")
                .append(Numbers.millis(Sum.percentile(sorted, 50)))
                .append("</td><td>")
                .append(Numbers.millis(Sum.percentile(sorted, 99)))
                .append("</td><td>")
                .append(Numbers.millis(Sum.percentile(sorted, 100)))
                .append("</td><td class=\"dots\">")
                .append(dots(sorted, longest))
                .append("</td></tr>\n");
    }

    private static String dots(List<Long> sorted, long longest) {
        StringBuilder svg = new StringBuilder("<svg class=\"strip\" height=\"14\" aria-hidden=\"true\">");
        // Thousands of dots look the same as some hundreds.
        int step = Math.max(1, sorted.size() / 300);
        for (int i = 0; i < sorted.size(); i += step) {
            svg.append(Html.format("<circle cx=\"%.1f%%\" cy=\"7\" r=\"3\"/>", 2 + 96.0 * sorted.get(i) / longest));
        }
        return svg.append("</svg>").toString();
    }
}
