package org.pgbaton.handling;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.session.LogFields;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.TransactionalPublisher;
import org.pgbaton.subscription.Transactions;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.table.LogTable;

/**
 * A subscription as the application wants it. Validated by {@link SubscriptionBuilder}.
 *
 * @param batch how many messages are read and closed together
 * @param largestBatch how many they may become while there is a backlog and the handler is quick
 */
public record SubscriptionOptions(
        String name,
        String target,
        LogTable log,
        MessageOrder order,
        Start start,
        List<String> types,
        @Nullable String keyPrefix,
        int batch,
        int largestBatch,
        int workers,
        @Nullable Executor executor,
        InstanceMode mode,
        Duration limit,
        Duration slow,
        int attempts,
        Duration shortestPause,
        Duration longestPause,
        @Nullable Transactions transactions,
        Function<Throwable, Verdict> errors,
        Handling handling)
        implements LogFields {

    private static final Duration LONGEST_OUTAGE_PAUSE = Duration.ofSeconds(30);

    @Override
    public Map<String, Object> logFields() {
        return Map.of("subscription", name);
    }

    public boolean isTotal() {
        return order == MessageOrder.TOTAL;
    }

    /** One for each lane, unless the publisher wants fewer; in total order one has all lanes. */
    public LaneGroups groups() {
        TransactionalPublisher publisher = handling.transactional();
        return isTotal()
                ? LaneGroups.total(log.lanes())
                : LaneGroups.perKey(log.lanes(), publisher == null ? log.lanes() : publisher.groups());
    }

    /**
     * The name by which a target with transactions knows it. A version of the projection that is built beside the live one has another
     * name, and does not fence it.
     */
    public String feedName() {
        return target.isEmpty() ? name : name + '\0' + target; // no name in PostgreSQL has that character
    }

    /** The pause after so many attempts, doubling, with some jitter so that keys that failed together do not try together. */
    public Duration pauseAfter(int attempts) {
        double doubled = (double) shortestPause.toMillis() * Math.pow(2, Math.min(40, Math.max(0, attempts - 1)));
        double millis = Math.min(doubled, (double) longestPause.toMillis());
        return Duration.ofMillis(Math.max(1, (long) (millis * (0.5 + Math.random() / 2))));
    }

    /** Shorter than other pauses: when the target is back, nobody should wait for minutes. */
    public Duration longestOutagePause() {
        return longestPause.compareTo(LONGEST_OUTAGE_PAUSE) < 0 ? longestPause : LONGEST_OUTAGE_PAUSE;
    }

    /** What a handler's failure means. */
    public Verdict verdictOn(Throwable failure) {
        return failure instanceof HandlerException theirs ? theirs.verdict() : errors.apply(failure);
    }

    @Override
    public String toString() {
        return "subscription '" + name + (target.isEmpty() ? "'" : "', target '" + target + "'");
    }
}
