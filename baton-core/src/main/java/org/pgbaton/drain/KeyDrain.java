package org.pgbaton.drain;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.Call;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.log.Message;
import org.pgbaton.table.StoredMessage;

/** One key in a {@link DrainRound}. Belongs to the round's thread. */
final class KeyDrain {
    private final AsideKey aside;
    /** At most so many of its messages are read. */
    int most;
    /** The messages that were read, in order. */
    final List<Message> waiting = new ArrayList<>();

    final List<Message> handled = new ArrayList<>();
    /** Nothing waits behind what was read. */
    boolean isAll;

    boolean slow;

    @Nullable
    UnitFailed failure;

    /** Kept, because pauses are random: the one that is stored and the one in memory must be the same. */
    private @Nullable AfterDrain afterFailure;

    /** A call of it that has not ended. */
    @Nullable
    Call running;

    KeyDrain(AsideKey aside, int most) {
        this.aside = aside;
        this.most = most;
    }

    AsideKey aside() {
        return aside;
    }

    String key() {
        return aside.key();
    }

    /** The number of the attempt at the next message. */
    int nextAttempt() {
        return attemptsBefore() + 1;
    }

    boolean isOver() {
        return failure != null || running != null;
    }

    void beginAnew() {
        waiting.clear();
        handled.clear();
        failure = null;
        afterFailure = null;
        slow = false;
        isAll = false;
    }

    /** Leaves out everything from a message on that cannot be read; if it is the first, the key has failed. */
    void endBeforeUnreadable() {
        for (int at = 0; at < waiting.size(); at++) {
            Message message = waiting.get(at);
            if (StoredMessage.excuseOf(message) != null) {
                failure = at > 0 ? null : UnitFailed.unreadable(message);
                isAll = false;
                waiting.subList(at, waiting.size()).clear();
                return;
            }
        }
    }

    private int attemptsBefore() {
        return handled.isEmpty() ? aside.attempts() : 0;
    }

    /** @param outage that ended the round for all; null if there was none */
    AfterDrain next(SubscriptionOptions options, @Nullable UnitFailed outage) {
        UnitFailed failed = failure;
        Call call = running;
        if (failed != null) {
            if (afterFailure == null) {
                afterFailure = failed.isAboutTheFirst() || failed.isOfTheWholeTarget()
                        ? AfterDrain.failed(failed, aside.key(), attemptsBefore(), options)
                        : AfterDrain.apart(failed, aside.key(), attemptsBefore());
            }
            return afterFailure;
        }
        if (call != null) {
            return AfterDrain.calling(call);
        }
        if (isAll && handled.size() == waiting.size()) {
            return AfterDrain.recovered(slow);
        }
        Duration pause =
                outage == null ? Duration.ZERO : outage.pause().isZero() ? options.pauseAfter(6) : outage.pause();
        return AfterDrain.again(pause, aside.most());
    }
}
