package org.pgbaton.work;

import java.util.function.LongSupplier;
import org.pgbaton.handling.HandlerCalls;
import org.pgbaton.handling.SlowKeys;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.TargetAnswers;
import org.pgbaton.handling.WorkCounters;

/**
 * Everything that the batches and drains of one member need: the options, the ways to the database and to the handler, and what is known of
 * both. It knows nobody who uses it. Thread-safe.
 *
 * @param nanos the monotonic clock
 */
public record WorkContext(
        SubscriptionOptions options,
        WorkTransactions transactions,
        WorkSql sql,
        RowReader reader,
        HandlerCalls calls,
        TargetAnswers answers,
        SlowKeys slowKeys,
        WorkCounters counters,
        LongSupplier nanos) {

    public long now() {
        return nanos.getAsLong();
    }
}
