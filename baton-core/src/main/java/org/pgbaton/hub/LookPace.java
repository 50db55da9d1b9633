package org.pgbaton.hub;

import java.time.Duration;

/**
 * How long the hub rests between two looks. A look costs the writers something, so a slow look is followed by a longer rest; but a slow
 * look may also mean that the machine is busy. Belongs to the hub's thread.
 */
final class LookPace {
    static final Duration SHORTEST = Duration.ofMillis(2);
    static final Duration LONGEST = Duration.ofMillis(100);
    /** How long looks follow each other after something new was seen. Then the hub sleeps. */
    static final Duration LINGER = Duration.ofMillis(30);

    /** Nobody waits for the next look. */
    private static final Duration UNHURRIED = Duration.ofMillis(25);
    /** With few locks a slow look means a busy machine: the rest after it is no longer than this. */
    private static final Duration LONGEST_WITH_FEW_LOCKS = Duration.ofMillis(10);

    private static final int MANY_LOCKS = 500;
    /** A look is followed by a rest of so many times its length; more if there are more members who look. */
    private static final int LEAST_REST_PER_LOOK = 6;

    private static final int MOST_REST_PER_LOOK = 12;
    /** If a look finds so many rows, the hub rests twice as long: fewer looks cost the writers less. */
    private static final long MANY_ROWS = 40;

    /** How long a look takes. A single slow one may have been held up by the machine, so it changes little. */
    private Duration usual = LONGEST;

    private Duration heldBack = SHORTEST;

    /**
     * What the last look showed.
     *
     * @param locks how many locks it had to go through
     * @param members how many members look, each for itself
     * @param rows how many new positions it found, at most in one log
     * @param isAwaited whether somebody has nothing to do and waits for the next look
     */
    record Seen(int locks, int members, long rows, boolean isAwaited) {}

    void looked(Duration length) {
        usual = lesser(length, usual.multipliedBy(5).dividedBy(4));
    }

    /** Something was new. */
    void foundNews() {
        heldBack = SHORTEST;
    }

    Duration rest(Seen seen) {
        Duration rest = usual.multipliedBy(Math.min(MOST_REST_PER_LOOK, LEAST_REST_PER_LOOK + seen.members));
        if (seen.rows >= MANY_ROWS) {
            rest = rest.multipliedBy(2);
        }
        Duration most = seen.locks > MANY_LOCKS ? LONGEST : LONGEST_WITH_FEW_LOCKS;
        return greater(lesser(rest, most), seen.isAwaited ? SHORTEST : UNHURRIED);
    }

    /** Nothing is new, but a lane waits for a writer, so nobody may sleep: longer and longer. */
    Duration restWhileHeldBack(Seen seen) {
        heldBack = lesser(heldBack.multipliedBy(2), LONGEST);
        return greater(heldBack, rest(seen));
    }

    private static Duration lesser(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private static Duration greater(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }
}
