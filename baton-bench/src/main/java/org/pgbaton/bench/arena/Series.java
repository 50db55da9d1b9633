package org.pgbaton.bench.arena;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The measurements of one variant, a value for each round; NaN where it failed. */
public final class Series {
    private final List<Double> rounds = new ArrayList<>();

    public void add(double value) {
        rounds.add(value);
    }

    public double median() {
        return median(rounds);
    }

    /** The ratio, round by round, so that a disturbance that slowed a whole round down does not count. */
    public Series dividedBy(Series other) {
        Series ratios = new Series();
        for (int i = 0; i < Math.min(rounds.size(), other.rounds.size()); i++) {
            ratios.add(rounds.get(i) / other.rounds.get(i));
        }
        return ratios;
    }

    /** The sum of each round. */
    public Series plus(Series other) {
        Series sums = new Series();
        for (int i = 0; i < Math.min(rounds.size(), other.rounds.size()); i++) {
            sums.add(rounds.get(i) + other.rounds.get(i));
        }
        return sums;
    }

    /** The rate of each round if the same cores do both, one thing after the other: 1 / (1/this + 1/other). */
    public Series together(Series other) {
        Series both = new Series();
        for (int i = 0; i < Math.min(rounds.size(), other.rounds.size()); i++) {
            both.add(1 / (1 / rounds.get(i) + 1 / other.rounds.get(i)));
        }
        return both;
    }

    /** With 0 where there is no value, because it was too small to be seen. */
    public Series orZero() {
        Series known = new Series();
        rounds.forEach(value -> known.add(Double.isFinite(value) ? value : 0));
        return known;
    }

    /** The greater value of each round. */
    public Series orMore(Series other) {
        Series most = new Series();
        for (int i = 0; i < Math.min(rounds.size(), other.rounds.size()); i++) {
            most.add(Math.max(rounds.get(i), other.rounds.get(i)));
        }
        return most;
    }

    /** The smaller value of each round. */
    public Series orLess(Series other) {
        Series least = new Series();
        for (int i = 0; i < Math.min(rounds.size(), other.rounds.size()); i++) {
            least.add(Math.min(rounds.get(i), other.rounds.get(i)));
        }
        return least;
    }

    /** Median, and the range if there is one. */
    public String shownAsRatio() {
        List<Double> sorted = valid(rounds);
        if (sorted.isEmpty()) {
            return "–";
        }
        String middle = Shown.ratio(median());
        return sorted.size() == 1
                ? middle
                : middle + " (" + Shown.ratio(sorted.get(0)) + " to " + Shown.ratio(sorted.get(sorted.size() - 1))
                        + ")";
    }

    private static double median(List<Double> values) {
        List<Double> sorted = valid(values);
        int size = sorted.size();
        if (size == 0) {
            return Double.NaN;
        }
        return size % 2 == 1 ? sorted.get(size / 2) : (sorted.get(size / 2 - 1) + sorted.get(size / 2)) / 2;
    }

    private static List<Double> valid(List<Double> values) {
        List<Double> sorted =
                new ArrayList<>(values.stream().filter(Double::isFinite).toList());
        Collections.sort(sorted);
        return sorted;
    }
}
