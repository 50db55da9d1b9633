package org.pgbaton.bench.arena;

import java.util.Locale;

/**
 * What a measurement came to.
 *
 * @param perSecond rows or messages per second
 * @param server CPU time of PostgreSQL for each of them, in microseconds; NaN if not measured
 * @param baton the same of Baton's processes, or of whoever reads in their place
 * @param broker the same of Kafka's broker
 */
public record Cost(double perSecond, double server, double baton, double broker) {
    static final Cost NONE = rate(Double.NaN);

    /** Only the rate was measured. */
    public static Cost rate(double perSecond) {
        return new Cost(perSecond, Double.NaN, Double.NaN, Double.NaN);
    }

    /** @param server nanoseconds of CPU time in the course of these rows, as is {@code baton} */
    public static Cost of(long rows, long nanos, long server, long baton) {
        return of(rows, nanos, server, baton, 0);
    }

    /** @param broker nanoseconds of CPU time in the course of these rows, as are {@code server} and {@code baton} */
    public static Cost of(long rows, long nanos, long server, long baton, long broker) {
        return new Cost(rows * 1e9 / nanos, micros(server, rows), micros(baton, rows), micros(broker, rows));
    }

    private static double micros(long nanos, long rows) {
        return nanos <= 0 ? Double.NaN : nanos / 1e3 / rows;
    }

    /** PostgreSQL and Baton together. */
    public double both() {
        return Double.isNaN(baton) ? server : server + baton;
    }

    /** For a table cell. */
    public static String shown(double micros) {
        return Double.isFinite(micros) ? String.format(Locale.ROOT, micros < 10 ? "%.2f µs" : "%.0f µs", micros) : "–";
    }
}
