package org.pgbaton.bench.arena;

import java.util.ArrayList;
import java.util.List;

/** Repeats something until its rate is stable, so that no contestant is measured while its code is still being compiled. */
public final class WarmUp {
    /** For the text of a finding. */
    public static final String RULE = "until their last three rates lie within 10 % of each other (at most 12 times)";

    private static final int ALIKE = 3;
    private static final double RANGE = 1.1;
    private static final int MOST = 12;
    private static final int MOST_QUICK = 3;

    private WarmUp() {}

    public static void untilStable(Arena arena, String who, Race.Turn turn) throws Exception {
        List<Double> rates = new ArrayList<>();
        int most = (int) arena.sized(MOST, MOST_QUICK);
        while (rates.size() < most && !isStable(rates)) {
            rates.add(turn.measure());
        }
        arena.progress("warming up " + who + ": "
                + String.join(" ", rates.stream().map(Shown::rate).toList())
                + (isStable(rates) ? "" : " (not stable yet)"));
    }

    /** Whether the last ones are alike. */
    static boolean isStable(List<Double> rates) {
        List<Double> last = rates.subList(Math.max(0, rates.size() - ALIKE), rates.size());
        double least = last.stream().mapToDouble(Double::doubleValue).min().orElse(0);
        double most = last.stream().mapToDouble(Double::doubleValue).max().orElse(0);
        return last.size() == ALIKE && most <= least * RANGE;
    }
}
