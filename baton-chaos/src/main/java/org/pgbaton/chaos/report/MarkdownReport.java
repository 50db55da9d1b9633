package org.pgbaton.chaos.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code report.md}: totals, and a line for each pair of scenario and fault. */
final class MarkdownReport {
    private MarkdownReport() {}

    static String of(Totals totals, Grid grid) {
        List<String> lines = new ArrayList<>();
        summary(lines, totals);
        versions(lines, totals);
        pairs(lines, totals, grid);
        takeovers(lines, totals, grid);
        lines.add("");
        return String.join("\n", lines);
    }

    private static void summary(List<String> lines, Totals totals) {
        lines.addAll(List.of(
                "# Rounds",
                "",
                totals.verdict() + ". " + Numbers.rounds(totals.all().rounds()) + " in "
                        + Numbers.time(totals.all().hours()) + ", "
                        + Numbers.grouped(totals.all().violated()) + " violated, "
                        + Numbers.grouped(totals.all().without()) + " void, "
                        + Numbers.grouped(totals.all().done()) + " messages and writes done.",
                ""));
        if (totals.unreadable() > 0) {
            lines.addAll(List.of(totals.unreadable() + " lines of rounds.jsonl cannot be read and do not count.", ""));
        }
    }

    private static void versions(List<String> lines, Totals totals) {
        lines.addAll(List.of("| PostgreSQL | rounds | violated | void | time |", "|---|---|---|---|---|"));
        totals.byPostgres()
                .forEach((version, sum) -> lines.add(String.format(
                        Locale.ROOT,
                        "| %d | %,d | %,d | %,d | %s |",
                        version,
                        sum.rounds(),
                        sum.violated(),
                        sum.without(),
                        Numbers.time(sum.hours()))));
    }

    private static void pairs(List<String> lines, Totals totals, Grid grid) {
        lines.addAll(List.of(
                "",
                "Calm: from the end of the traffic until nothing was left to do. Takeover: from `kill -9`, SIGSTOP or a cut until the last lane or"
                        + " leadership of the victim had another owner; looked at ten times a second. All in milliseconds.",
                "",
                "| scenario | fault | rounds | violated | void | done | calm p50 | calm worst | takeover p50 | p99 | max |",
                "|---|---|---|---|---|---|---|---|---|---|---|"));
        for (String scenario : grid.scenarios()) {
            for (String fault : grid.faults()) {
                Sum sum = totals.byPair().get(new Grid.Pair(scenario, fault));
                if (sum != null) {
                    lines.add(line(scenario, fault, sum));
                }
            }
        }
    }

    private static void takeovers(List<String> lines, Totals totals, Grid grid) {
        lines.addAll(List.of("", "| takeover | measured in rounds | p50 | p99 | max |", "|---|---|---|---|---|"));
        for (String fault : grid.faults()) {
            Sum sum = totals.byFault().get(fault);
            if (sum != null && !sum.takeovers().isEmpty()) {
                lines.add("| " + cell(fault) + " | "
                        + Numbers.grouped(sum.takeovers().size()) + " | " + takeovers(sum) + " |");
            }
        }
    }

    private static String line(String scenario, String fault, Sum sum) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %,d | %,d | %,d | %,d | %s | %s | %s |",
                cell(scenario),
                cell(fault),
                sum.rounds(),
                sum.violated(),
                sum.without(),
                sum.done(),
                number(Sum.percentile(sum.calm(), 50)),
                number(Sum.percentile(sum.calm(), 100)),
                takeovers(sum));
    }

    private static String takeovers(Sum sum) {
        return number(Sum.percentile(sum.takeovers(), 50)) + " | " + number(Sum.percentile(sum.takeovers(), 99)) + " | "
                + number(Sum.percentile(sum.takeovers(), 100));
    }

    private static String number(@Nullable Long value) {
        return value == null ? "–" : Numbers.grouped(value);
    }

    private static String cell(String text) {
        return Html.text(text).replace("|", "\\|").replaceAll("\\s+", " ");
    }
}
