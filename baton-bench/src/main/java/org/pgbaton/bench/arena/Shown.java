package org.pgbaton.bench.arena;

import java.util.Locale;

/** Numbers as the report shows them. */
public final class Shown {
    private Shown() {}

    public static String rate(double perSecond) {
        return Double.isFinite(perSecond)
                ? String.format(Locale.ROOT, perSecond < 100 ? "%,.1f" : "%,.0f", perSecond)
                : "failed";
    }

    public static String ratio(double ratio) {
        return Double.isFinite(ratio) ? String.format(Locale.ROOT, "%.2f", ratio) : "(not measured)";
    }

    public static String millis(double millis) {
        return Double.isFinite(millis) ? Samples.shown(millis) : "(not measured)";
    }

    public static String count(long rows) {
        if (rows % 1_000_000 == 0) {
            return rows / 1_000_000 + " M";
        }
        if (rows > 1_000_000 && rows % 100_000 == 0) {
            return String.format(Locale.ROOT, "%.1f M", rows / 1e6);
        }
        return rows % 1000 == 0 ? rows / 1000 + " k" : Long.toString(rows);
    }

    public static String oneLine(Throwable why) {
        String message = why.getMessage();
        String text = message == null || message.isBlank() ? why.toString() : message;
        String line = text.strip().replaceAll("\\s+", " ").replace('|', '/');
        return line.length() <= 300 ? line : line.substring(0, 300) + " …";
    }
}
