package org.pgbaton.subscription;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/** How it goes with one key in a {@link Round}. Belongs to the round's thread. */
final class Course {
    final Parked parked;
    /** At most so many of its messages are read. */
    int most;
    /** What was read, in order. */
    final List<Message> waiting = new ArrayList<>();

    final List<Message> handled = new ArrayList<>();
    /** Nothing waits behind what was read. */
    boolean isAll;

    boolean slow;

    @Nullable
    UnitFailed failure;

    /** Pauses are random: the same is stored and kept in mind. */
    private @Nullable Next afterFailure;

    /** That has not ended. */
    @Nullable
    Call inFlight;

    Course(Parked parked, int most) {
        this.parked = parked;
        this.most = most;
    }

    boolean isOver() {
        return failure != null || inFlight != null;
    }

    void beginAnew() {
        waiting.clear();
        handled.clear();
        failure = null;
        afterFailure = null;
        slow = false;
        isAll = false;
    }

    /** What cannot be read fails when it is the first. */
    void endBeforeUnreadable() {
        for (int at = 0; at < waiting.size(); at++) {
            Message message = waiting.get(at);
            if (message.unreadable() != null) {
                failure = at > 0 ? null : UnitFailed.unreadable(message);
                isAll = false;
                waiting.subList(at, waiting.size()).clear();
                return;
            }
        }
    }

    private int attemptsBefore() {
        return handled.isEmpty() ? parked.attempts : 0;
    }

    /** @param outage that ended the round for all; null if there was none */
    Next next(Options options, @Nullable UnitFailed outage) {
        UnitFailed failed = failure;
        Call call = inFlight;
        if (failed != null) {
            if (afterFailure == null) {
                afterFailure = failed.isAboutTheFirst() || failed.isOfTheWholeTarget()
                        ? Next.failed(failed, parked.key, attemptsBefore(), options)
                        : Next.apart(failed, parked.key, attemptsBefore());
            }
            return afterFailure;
        }
        if (call != null) {
            return Next.calling(call);
        }
        if (isAll && handled.size() == waiting.size()) {
            return Next.recovered(slow);
        }
        Duration pause =
                outage == null ? Duration.ZERO : outage.pause().isZero() ? options.pauseAfter(6) : outage.pause();
        return Next.again(pause, parked.most);
    }
}
