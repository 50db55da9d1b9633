package org.pgbaton.subscription;

import java.time.Duration;

/** Calls {@link Member#dispatch} when something is due. Guarded by the board. */
final class Alarm {
    private final Crew crew;
    private final Board board;
    private final Runnable dispatch;
    /** When it rings next; far away if it is not set. */
    private long at = Long.MAX_VALUE;

    Alarm(Crew crew, Board board, Runnable dispatch) {
        this.crew = crew;
        this.board = board;
        this.dispatch = dispatch;
    }

    /** One alarm is enough: the earliest. */
    void set(long when, long now) {
        if (at == Long.MAX_VALUE || when - at < 0) {
            at = when;
            crew.later(this::ring, Duration.ofNanos(Math.max(0, when - now)));
        }
    }

    private void ring() {
        synchronized (board) {
            at = Long.MAX_VALUE;
        }
        dispatch.run();
    }
}
