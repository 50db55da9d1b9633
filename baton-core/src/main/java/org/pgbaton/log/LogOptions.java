package org.pgbaton.log;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a new log shall be. Immutable.
 *
 * @param lanes into how many lanes its keys are spread, 1 to 1024; can never be changed
 * @param retention how long rows are kept at least; null: for ever
 * @param payloadLimit of an outbox, how many bytes a payload may have; null: not an outbox, anything may be appended
 */
public record LogOptions(
        int lanes, @Nullable Duration retention, @Nullable Integer payloadLimit) {
    /** With headers, key and what Baton adds still below Kafka's default for a message, a megabyte. */
    private static final int USUAL_PAYLOAD = 1_000_000;

    private static final int LARGEST_PAYLOAD = 100_000_000;
    private static final int MOST_LANES = 1024;
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final LogOptions DEFAULTS = new LogOptions(16, null, null);

    /** Refuses values that make no sense. */
    public LogOptions {
        if (lanes < 1 || lanes > MOST_LANES) {
            throw new IllegalArgumentException(
                    "A log with " + lanes + " lanes makes no sense: give 1 to " + MOST_LANES + " (default 16).");
        }
        checked(retention);
        if (payloadLimit != null) {
            checked(payloadLimit);
        }
    }

    /** 16 lanes, rows kept for ever, not an outbox. */
    public static LogOptions defaults() {
        return DEFAULTS;
    }

    /** Spreads the keys into another number of lanes, 1 to 1024. That can never be changed. */
    public LogOptions lanes(int number) {
        return new LogOptions(number, retention, payloadLimit);
    }

    /** Keeps rows at least so long, instead of for ever. */
    public LogOptions retention(Duration least) {
        return new LogOptions(lanes, least, payloadLimit);
    }

    /** Makes it a log to publish from: what could never be published is refused when it is appended. Payloads have up to 1,000,000 bytes. */
    public LogOptions outbox() {
        return outbox(USUAL_PAYLOAD);
    }

    /** The same with another limit for payloads, in bytes. */
    public LogOptions outbox(int largestPayload) {
        return new LogOptions(lanes, retention, largestPayload);
    }

    static int checked(int payloadLimit) {
        if (payloadLimit < 1 || payloadLimit > LARGEST_PAYLOAD) {
            throw new IllegalArgumentException("Payloads of at most " + payloadLimit
                    + " bytes make no sense: give 1 to " + LARGEST_PAYLOAD + " (default " + USUAL_PAYLOAD + ").");
        }
        return payloadLimit;
    }

    static @Nullable Duration checked(@Nullable Duration retention) {
        if (retention != null && (retention.isNegative() || retention.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException(
                    "Rows cannot be kept for " + retention + ": give 0 s to 36500 days (default: for ever).");
        }
        return retention;
    }
}
