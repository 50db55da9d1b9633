package org.pgbaton.checkpoint;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Sql;
import org.slf4j.Logger;

/**
 * Looks whether somebody else holds locks that only members of subscriptions, or writers of their logs, take. Any role that
 * may connect to the database can take them. Then lanes cannot be owned, or writers wait, and health says who holds the locks.
 *
 * <p>One look is for all subscriptions of the process, however many of them ask for it. Thread-safe; one look at a time.
 */
public final class ForeignLocks {
    private static final Logger log = LineLogger.of(ForeignLocks.class);

    private static final String FIND =
            "SELECT subscription, what, holder FROM ${schema}.foreign_lock ORDER BY what, holder";

    /** Who asks sooner gets what the last look found. */
    private static final Duration EVERY = Duration.ofMillis(2500);

    /** @param subscription null for a lock on a lane of a log */
    private record Found(@Nullable Integer subscription, String what, String holder) {
        boolean concerns(int id, String logName) {
            return subscription == null ? what.startsWith("log " + logName + ", ") : subscription == id;
        }
    }

    private final DatabaseAccess database;
    private final LongSupplier nanos;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile List<Found> found = List.of();
    private volatile long lookedAt;

    public ForeignLocks(DatabaseAccess database, LongSupplier nanos) {
        this.database = database;
        this.nanos = nanos;
        this.lookedAt = nanos.getAsLong() - EVERY.toNanos();
    }

    public void look() {
        if (nanos.getAsLong() - lookedAt < EVERY.toNanos() || !looking.compareAndSet(false, true)) {
            return;
        }
        try {
            lookedAt = nanos.getAsLong();
            List<Found> now = database.ask(
                    "look who holds locks",
                    connection -> new Sql(database.schema())
                            .all(
                                    connection,
                                    FIND,
                                    row -> new Found(
                                            row.getObject(1, Integer.class), row.getString(2), row.getString(3))));
            if (!now.isEmpty() && found.isEmpty()) {
                log.warn("Locks of ours are held by somebody else: {}", describe(now));
            }
            found = now;
        } catch (BatonException unknown) {
            log.debug("Who holds locks could not be found out", unknown);
        } finally {
            looking.set(false);
        }
    }

    private static String describe(List<Found> locks) {
        return locks.stream()
                .map(lock -> lock.holder + " (of " + lock.what + ")")
                .distinct()
                .collect(Collectors.joining("; "));
    }

    /** In words, those of one subscription and its log; null if there are none. */
    @Nullable
    public String trouble(int subscription, String logName) {
        List<Found> ours = found.stream()
                .filter(lock -> lock.concerns(subscription, logName))
                .toList();
        return ours.isEmpty()
                ? null
                : "locks of ours are held by somebody else: " + describe(ours)
                        + ". End that session, for instance with pg_terminate_backend, and find out why it took them.";
    }
}
