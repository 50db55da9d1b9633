package org.pgbaton.drain;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.FailureVerdicts;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.PostponedKey;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.FeedException;
import org.pgbaton.table.StoredMessage;
import org.pgbaton.work.WorkContext;

/**
 * Goes on with a key that was set aside, in a relay with transactions: its messages, in order, from what was recorded when they were
 * passed over; the log is not scanned. Meanwhile the lane goes on with other keys, so only the epoch is checked, not the position. Only the
 * lane's owner drains. Other handlers are drained in {@linkplain DrainRound rounds}, several keys at a time.
 */
final class FeedDrain {
    /** How long a message is waited for that is recorded, but that the target's transaction has not passed over yet. */
    private static final Duration SOON = Duration.ofMillis(50);

    private final WorkContext work;
    private final SubscriptionOptions options;
    private final Lane lane;
    private final AsideKey aside;
    private @Nullable UnitFailed failure;

    FeedDrain(WorkContext work, Lane lane, AsideKey aside) {
        this.work = work;
        this.options = work.options();
        this.lane = lane;
        this.aside = aside;
    }

    AfterDrain run() throws Exception {
        int most = options.batch();
        int attempts = aside.attempts();
        while (lane.mayGoOnDraining() && !work.calls().isStopping()) {
            failure = null;
            List<Message> unit = feed(most);
            if (unit.isEmpty()) {
                return hasMore() ? AfterDrain.again(SOON, 0) : AfterDrain.recovered(false);
            } else if (failure != null && !isHead(failure, unit)) {
                most = Math.max(1, failure.at()); // those before it, or one by one to find it
            } else if (failure != null) {
                return postpone(AfterDrain.failed(failure, aside.key(), attempts, options));
            } else {
                attempts = 0;
                work.counters().addHandled(unit.size());
            }
        }
        return AfterDrain.again(Duration.ZERO, 0);
    }

    /** A message that the target has not passed over yet may be recorded already. */
    private boolean hasMore() {
        return work.transactions()
                .ask(
                        "look whether anything waits for " + options,
                        connection -> work.sql().hasMessages(connection, lane, aside.key()));
    }

    private AfterDrain postpone(AfterDrain failed) throws Exception {
        PostponedKey postponed = failed.failure();
        if (postponed != null) {
            work.transactions().runFenced(lane, connection -> work.sql().postpone(connection, List.of(postponed)));
            if (postponed.error() != null) {
                work.counters().addFailure();
            }
        }
        return failed;
    }

    private static boolean isHead(UnitFailed failed, List<Message> unit) {
        return failed.isAboutTheFirst()
                && failed.unit().get(0).position() == unit.get(0).position();
    }

    /**
     * Publishes the next messages with the key's own mark, because the key is behind its group. Messages that the target has are never read
     * again.
     *
     * @return what was handled, or failed together; empty if nothing waits
     */
    private List<Message> feed(int most) throws Exception {
        settleWhatTheTargetHas();
        List<Message> unit = new ArrayList<>();
        work.transactions()
                .run(connection -> unit.addAll(work.sql()
                        .heads(connection, aside.key(), lane.drainable(), most)
                        .messages()));
        if (unit.isEmpty()) {
            return unit;
        }
        if (StoredMessage.excuseOf(unit.get(0)) != null) {
            failure = UnitFailed.unreadable(unit.get(0));
            return unit;
        }
        long end = firstUnreadable(unit);
        unit.removeIf(message -> message.position() >= end);
        try {
            lane.feed().publishOf(aside.key(), unit, lane.delivery(options, aside.attempts() + 1));
        } catch (FeedException failed) {
            if (failed.kind() == FeedException.Kind.LOST) {
                lane.leave();
            }
            Message troubled = failed.troubled();
            failure = new UnitFailed(
                    troubled == null ? unit : List.of(troubled),
                    failed.verdict(),
                    FailureVerdicts.describe(failed),
                    failed);
            return unit;
        }
        settleWhatTheTargetHas();
        return unit;
    }

    private static long firstUnreadable(List<Message> unit) {
        return unit.stream()
                .filter(message -> StoredMessage.excuseOf(message) != null)
                .mapToLong(Message::position)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Forgets messages that the target has. Fewer may still wait, since an operator may have skipped one. */
    private void settleWhatTheTargetHas() throws Exception {
        long upTo = lane.feed().unsettled(aside.key());
        if (upTo > 0) {
            work.transactions().runFenced(lane, connection -> work.sql().forgetUpTo(connection, aside.key(), upTo));
            lane.feed().settled(aside.key(), upTo);
        }
    }
}
