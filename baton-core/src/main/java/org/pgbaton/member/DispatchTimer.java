package org.pgbaton.member;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import org.pgbaton.session.BackgroundTasks;

/** Dispatches the member's work when something is due. Guarded by the {@link MemberState}. */
final class DispatchTimer {
    private final BackgroundTasks background;
    private final MemberState state;
    private final Runnable dispatch;
    /** The time of the next dispatch; far away if none is planned. */
    @GuardedBy("state")
    private long at = Long.MAX_VALUE;

    DispatchTimer(BackgroundTasks background, MemberState state, Runnable dispatch) {
        this.background = background;
        this.state = state;
        this.dispatch = dispatch;
    }

    /** One alarm is enough: the earliest. */
    void set(long when, long now) {
        synchronized (state) {
            if (at == Long.MAX_VALUE || when - at < 0) {
                at = when;
                background.later(this::ring, Duration.ofNanos(Math.max(0, when - now)));
            }
        }
    }

    private void ring() {
        synchronized (state) {
            at = Long.MAX_VALUE;
        }
        dispatch.run();
    }
}
