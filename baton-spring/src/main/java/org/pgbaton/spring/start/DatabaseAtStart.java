package org.pgbaton.spring.start;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Migrates or checks the schema when the application starts, and does what needs the schema afterwards.
 *
 * <pre>
 *   open ─► READY                    the database was there
 *        ├► fails                    it was not within the patience, and is required; or something is wrong that does not pass
 *        └► WAITING ─► READY         it was not, and is not required: a thread tries once a second
 *                   └► CLOSED
 * </pre>
 *
 * <p>What waited is started when it is ready, by the same thread. If the database is away again just then, that is tried again, too.
 *
 * <p>Trouble that does not pass by itself (no privilege, a schema that is too new) fails the start. Found later, while waiting, it is logged
 * once and tried again: nobody is there to catch it. Thread-safe.
 */
public final class DatabaseAtStart implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DatabaseAtStart.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /**
     * How to treat a database that is not there.
     *
     * @param migrate whether to migrate the schema; otherwise it is only checked
     * @param patience how long the start waits for it
     * @param required whether the start fails after that
     */
    public record Policy(boolean migrate, Duration patience, boolean required) {}

    private final Baton baton;
    private final Policy policy;
    private final Object monitor = new Object();
    private final List<Runnable> waiting = new ArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private boolean ready;
    private @Nullable String trouble;
    /** Why something that waited is not tried again. Belongs to the thread that tries. */
    private @Nullable String refusal;

    private DatabaseAtStart(Baton baton, Policy policy) {
        this.baton = baton;
        this.policy = policy;
    }

    /**
     * Prepares the database, within the patience of the policy.
     *
     * @throws DatabaseException if it cannot be reached and is required, or refuses
     * @throws org.pgbaton.schema.SchemaException if the schema does not fit
     */
    public static DatabaseAtStart open(Baton baton, Policy policy) {
        DatabaseAtStart start = new DatabaseAtStart(baton, policy);
        start.prepare();
        return start;
    }

    /** Whether the schema was migrated or checked. */
    public boolean isReady() {
        synchronized (monitor) {
            return ready;
        }
    }

    /** Why it is not ready, or what failed afterwards; null if there is nothing to say. */
    public @Nullable String trouble() {
        synchronized (monitor) {
            return trouble;
        }
    }

    /**
     * Does this now if the database is ready, and passes on what it throws. Otherwise it is done later on another thread. There it is done
     * again if it fails because the database is away; any other failure is logged.
     */
    public void whenReady(Runnable task) {
        synchronized (monitor) {
            if (!ready) {
                waiting.add(task);
                return;
            }
        }
        task.run();
    }

    /** Forgets a task that still waits. */
    public void forget(Runnable task) {
        synchronized (monitor) {
            waiting.remove(task);
        }
    }

    private void prepare() {
        long end = System.nanoTime() + policy.patience().toNanos();
        while (true) {
            try {
                migrateOrCheck();
                return;
            } catch (DatabaseException away) {
                if (!away.fault().passes()) {
                    throw away;
                }
                if (isClosed() || System.nanoTime() - end >= 0) {
                    giveUp(away);
                    return;
                }
                pause();
            }
        }
    }

    private void giveUp(DatabaseException away) {
        if (policy.required()) {
            throw away;
        }
        note(away);
        log.warn("{} The application starts without it; Baton tries again once a second.", away.getMessage());
        Thread thread = new Thread(this::tryUntilReady, "baton-start");
        thread.setDaemon(true);
        thread.start();
    }

    private void tryUntilReady() {
        String said = trouble();
        while (!isClosed()) {
            Exception still = tryOnce();
            if (still == null) {
                return;
            }
            note(still);
            if (!String.valueOf(still.getMessage()).equals(said)) {
                said = String.valueOf(still.getMessage());
                log.warn("{} Baton tries again once a second.", said);
            }
            pause();
        }
    }

    /** @return why it has to be tried again; null if everything was started */
    private @Nullable Exception tryOnce() {
        if (!isReady()) {
            try {
                migrateOrCheck();
            } catch (BatonException still) {
                return still;
            }
            log.info("The database is there; Baton starts.");
        }
        return runWaiting();
    }

    private void migrateOrCheck() {
        if (policy.migrate()) {
            baton.migrations().migrate();
        } else {
            baton.migrations().require();
        }
        synchronized (monitor) {
            ready = true;
            trouble = null;
        }
    }

    /** @return why some of it still waits; null if nothing does */
    private @Nullable Exception runWaiting() {
        List<Runnable> tasks;
        synchronized (monitor) {
            tasks = List.copyOf(waiting);
        }
        RuntimeException away = null;
        for (Runnable task : tasks) {
            try {
                task.run();
                forget(task);
            } catch (RuntimeException failed) {
                if (passes(failed)) {
                    away = failed;
                    continue;
                }
                forget(task);
                refusal = String.valueOf(failed.getMessage());
                log.error("Baton cannot start what waited for the database: {}", failed.getMessage(), failed);
            }
        }
        if (away == null) {
            synchronized (monitor) {
                trouble = refusal;
            }
        }
        return away;
    }

    /** Also what Spring says of a transaction that it could not begin. */
    private static boolean passes(Throwable failed) {
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof DatabaseException ours) {
                return ours.fault().passes();
            }
            if (cause instanceof SQLException theirs) {
                return theirs instanceof SQLTransientConnectionException // no connection in time, as pools say it
                        || Fault.of(theirs).passes();
            }
        }
        return false;
    }

    private void note(Exception failure) {
        synchronized (monitor) {
            trouble = String.valueOf(failure.getMessage());
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Ends early when it is closed. */
    private void pause() {
        try {
            var unused = closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            close();
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
