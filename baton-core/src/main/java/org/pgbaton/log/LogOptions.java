package org.pgbaton.log;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a new log shall be. Immutable.
 *
 * @param lanes into how many lanes its keys are spread, 1 to 1024; can never be changed
 * @param retention how long rows are kept at least; null: for ever
 */
public record LogOptions(int lanes, @Nullable Duration retention) {
    private static final int MOST_LANES = 1024;
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final LogOptions DEFAULTS = new LogOptions(16, null);

    public LogOptions {
        if (lanes < 1 || lanes > MOST_LANES) {
            throw new IllegalArgumentException(
                    "A log with " + lanes + " lanes makes no sense: give 1 to " + MOST_LANES + " (default 16).");
        }
        checked(retention);
    }

    /** 16 lanes, rows kept for ever. */
    public static LogOptions defaults() {
        return DEFAULTS;
    }

    public LogOptions lanes(int number) {
        return new LogOptions(number, retention);
    }

    public LogOptions retention(Duration least) {
        return new LogOptions(lanes, least);
    }

    static @Nullable Duration checked(@Nullable Duration retention) {
        if (retention != null && (retention.isNegative() || retention.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException(
                    "Rows cannot be kept for " + retention + ": give 0 s to 36500 days (default: for ever).");
        }
        return retention;
    }
}
