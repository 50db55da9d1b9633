package org.pgbaton.bench.growth;

import java.util.Arrays;
import java.util.Locale;

/**
 * How one thing grows with another: constant, linear, or as a power; and up to where, if it bends. A point fits if it is within
 * 20 % of the law.
 *
 * @param kind of the whole curve
 * @param base of a constant or linear law: its value at 0
 * @param slope of a linear law
 * @param exponent of a power
 * @param bend the last x up to which a simpler law holds than for the whole; NaN if there is none
 */
record Law(Kind kind, double base, double slope, double exponent, double bend) {
    /** The kinds, simplest first. */
    enum Kind {
        CONSTANT,
        LINEAR,
        POWER,
        FALLING,
        UNKNOWN
    }

    private static final double TOLERANCE = 0.2;
    /** A straight line goes through any two points. */
    private static final int FEWEST_FOR_LINEAR = 3;

    static Law of(double[] x, double[] y) {
        if (y.length < 2 || Arrays.stream(y).anyMatch(value -> !Double.isFinite(value))) {
            return new Law(Kind.UNKNOWN, Double.NaN, 0, Double.NaN, Double.NaN);
        }
        if (isConstant(y, y.length)) {
            return new Law(Kind.CONSTANT, middle(y, y.length), 0, 0, Double.NaN);
        }
        if (y[y.length - 1] < y[0]) {
            return new Law(Kind.FALLING, y[0], 0, Double.NaN, Double.NaN);
        }
        double[] line = line(x, y, y.length);
        if (y.length >= FEWEST_FOR_LINEAR && line[1] > 0 && fits(x, y, y.length, line)) {
            return new Law(Kind.LINEAR, line[0], line[1], 1, flatUpTo(x, y));
        }
        double flat = flatUpTo(x, y);
        return new Law(Kind.POWER, y[0], 0, exponent(x, y), Double.isNaN(flat) ? straightUpTo(x, y) : flat);
    }

    private static boolean isConstant(double[] y, int length) {
        double middle = middle(y, length);
        for (int i = 0; i < length; i++) {
            if (Math.abs(y[i] - middle) > TOLERANCE * middle) {
                return false;
            }
        }
        return true;
    }

    /** Between the least and the greatest. */
    private static double middle(double[] y, int length) {
        double least = Arrays.stream(y, 0, length).min().orElseThrow();
        double most = Arrays.stream(y, 0, length).max().orElseThrow();
        return (least + most) / 2;
    }

    /** The last x of the points at the beginning that are constant; NaN if fewer than two are. */
    private static double flatUpTo(double[] x, double[] y) {
        for (int length = y.length - 1; length >= 2; length--) {
            if (isConstant(y, length)) {
                return x[length - 1];
            }
        }
        return Double.NaN;
    }

    private static double straightUpTo(double[] x, double[] y) {
        for (int length = y.length - 1; length >= FEWEST_FOR_LINEAR; length--) {
            double[] line = line(x, y, length);
            if (line[1] > 0 && fits(x, y, length, line)) {
                return x[length - 1];
            }
        }
        return Double.NaN;
    }

    private static boolean fits(double[] x, double[] y, int length, double[] line) {
        for (int i = 0; i < length; i++) {
            if (Math.abs(line[0] + line[1] * x[i] - y[i]) > TOLERANCE * y[i]) {
                return false;
            }
        }
        return true;
    }

    /** The straight line with the least squares of relative errors, so that small values count as much as great ones. */
    private static double[] line(double[] x, double[] y, int length) {
        double w = 0;
        double wx = 0;
        double wy = 0;
        double wxx = 0;
        double wxy = 0;
        for (int i = 0; i < length; i++) {
            double weight = 1 / (y[i] * y[i]);
            w += weight;
            wx += weight * x[i];
            wy += weight * y[i];
            wxx += weight * x[i] * x[i];
            wxy += weight * x[i] * y[i];
        }
        double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
        return new double[] {(wy - slope * wx) / w, slope};
    }

    /** Of the last step: what it is in the long run. */
    private static double exponent(double[] x, double[] y) {
        int last = y.length - 1;
        return Math.log(y[last] / y[last - 1]) / Math.log(x[last] / x[last - 1]);
    }

    /**
     * A sentence without a subject.
     *
     * @param unit of the values
     * @param each what x counts, in the singular
     */
    String sentence(String unit, String each) {
        String bends = Double.isNaN(bend) ? "" : "; bends after " + Curve.number(bend);
        return switch (kind) {
            case CONSTANT -> "constant, " + value(base) + " " + unit;
            case LINEAR ->
                "linear, " + value(Math.max(0, base)) + " " + unit + " and " + value(slope) + " " + unit
                        + " more for each " + each + bends;
            case POWER ->
                exponent <= 0
                        ? "neither constant nor linear" + bends
                        : String.format(Locale.ROOT, "grows as the power %.1f at the end%s", exponent, bends);
            case FALLING -> "does not grow";
            case UNKNOWN -> "unknown";
        };
    }

    private static String value(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%,.0f" : value >= 1 ? "%.1f" : "%.2g", value);
    }
}
