package org.pgbaton.session;

import java.time.Duration;

/**
 * How long a silent holder keeps its locks, and every time that follows from it. The server frees the locks once a
 * session has been idle for {@link #length}; the holder stops trusting them earlier.
 *
 * <pre>
 *   round trip starts            trust ends        abandoned    server frees the locks
 *   |--- heartbeat every 1/3 ----|-- SUSPENDED ----|-- LOST ----|
 *   0                            length - margin   - margin/2   length
 * </pre>
 */
public record Lease(Duration length) {
    public static final Duration SHORTEST = Duration.ofSeconds(2);
    public static final Duration LONGEST = Duration.ofDays(1);
    public static final Lease DEFAULT = new Lease(Duration.ofSeconds(10));

    public Lease {
        if (length.compareTo(SHORTEST) < 0 || length.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("A lease of " + (length.getSeconds() + length.getNano() / 1e9)
                    + " s makes no sense: give 2 s to 1 day (default 10 s).");
        }
    }

    /** One second, but never more than a quarter of the lease. */
    Duration margin() {
        Duration quarter = length.dividedBy(4);
        Duration second = Duration.ofSeconds(1);
        return quarter.compareTo(second) < 0 ? quarter : second;
    }

    public Duration heartbeatEvery() {
        return length.dividedBy(3);
    }

    /** Counted from the start of the last round trip that succeeded. */
    Duration trusted() {
        return length.minus(margin());
    }

    /** From here on the holder gives up by itself, before anybody else can take over. */
    Duration abandoned() {
        return length.minus(margin().dividedBy(2));
    }

    /**
     * How long the client waits for an answer. pgjdbc's own default is: for ever. A heartbeat that stays without one fails
     * when the lease is over; until then a late answer can repair trust, and the clock, not the socket, gives the locks up.
     */
    Duration answer() {
        return length.minus(heartbeatEvery());
    }

    /** The same for a session that holds nothing yet, and had better connect again. */
    Duration answerToStandby() {
        Duration tenSeconds = Duration.ofSeconds(10);
        return answer().compareTo(tenSeconds) < 0 ? answer() : tenSeconds;
    }

    /**
     * Longest wait for a lock in one statement, at most a second: a waiting statement holds back VACUUM. Well below
     * {@link #answer}, or waiting would look like silence.
     */
    public Duration slice() {
        Duration half = answer().dividedBy(2);
        Duration second = Duration.ofSeconds(1);
        return half.compareTo(second) < 0 ? half : second;
    }
}
