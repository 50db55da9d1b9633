package org.pgbaton.chaos.report;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers as people read them. */
final class Numbers {
    private Numbers() {}

    static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    static String rounds(long number) {
        return grouped(number) + (number == 1 ? " round" : " rounds");
    }

    /** Minutes, or hours if there are some. */
    static String time(double hours) {
        return hours < 1 ? Math.round(hours * 60) + " min" : String.format(Locale.ROOT, "%,.1f h", hours);
    }

    static String millis(@Nullable Long millis) {
        return millis == null ? "–" : grouped(millis) + " ms";
    }
}
