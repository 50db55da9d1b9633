package org.pgbaton.chaos.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code report.json}: what {@link MarkdownReport} says, for programs. */
final class JsonReport {
    private JsonReport() {}

    static String of(Totals totals, Grid grid) {
        Map<String, @Nullable Object> report = new LinkedHashMap<>();
        counts(report, totals.all());
        report.put("unreadableLines", totals.unreadable());
        report.put("first", totals.first());
        report.put("last", totals.last());
        Map<String, Object> versions = new LinkedHashMap<>();
        totals.byPostgres().forEach((version, sum) -> {
            Map<String, @Nullable Object> its = new LinkedHashMap<>();
            counts(its, sum);
            versions.put(Integer.toString(version), its);
        });
        report.put("postgres", versions);
        List<Object> pairs = new ArrayList<>();
        for (String scenario : grid.scenarios()) {
            for (String fault : grid.faults()) {
                Sum sum = totals.byPair().get(new Grid.Pair(scenario, fault));
                if (sum != null) {
                    Map<String, @Nullable Object> pair = new LinkedHashMap<>();
                    pair.put("scenario", scenario);
                    pair.put("fault", fault);
                    counts(pair, sum);
                    pair.put("calmMillis", spread(sum.calm()));
                    pair.put("takeoverMillis", spread(sum.takeovers()));
                    pairs.add(pair);
                }
            }
        }
        report.put("pairs", pairs);
        Map<String, Object> takeovers = new LinkedHashMap<>();
        for (String fault : grid.faults()) {
            Sum sum = totals.byFault().get(fault);
            if (sum != null && !sum.takeovers().isEmpty()) {
                takeovers.put(fault, spread(sum.takeovers()));
            }
        }
        report.put("takeoverMillis", takeovers);
        return Json.INDENTED.writeValueAsString(report) + "\n";
    }

    private static void counts(Map<String, @Nullable Object> into, Sum sum) {
        into.put("rounds", sum.rounds());
        into.put("violated", sum.violated());
        into.put("void", sum.without());
        into.put("done", sum.done());
        into.put("hours", sum.hours());
    }

    private static Map<String, @Nullable Object> spread(List<Long> sorted) {
        Map<String, @Nullable Object> spread = new LinkedHashMap<>();
        spread.put("measured", sorted.size());
        spread.put("p50", Sum.percentile(sorted, 50));
        spread.put("p99", Sum.percentile(sorted, 99));
        spread.put("max", Sum.percentile(sorted, 100));
        return spread;
    }
}
