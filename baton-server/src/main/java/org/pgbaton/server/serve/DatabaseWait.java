package org.pgbaton.server.serve;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.server.command.Output;

/**
 * Takes the steps of a start, and each of them again while the database is away. The time is that of all steps together, so a database that
 * goes away in the middle of a start is waited for like one that was away before. Each step leaves nothing behind when it fails. One thread
 * uses it.
 */
public final class DatabaseWait {
    private static final long RETRY_MILLIS = 500;

    private final String about;
    private final LongSupplier nanos;
    private final long end;
    private boolean told;

    /** @param atMost how long the database may be away */
    public DatabaseWait(Duration atMost, LongSupplier nanos) {
        this("", atMost, nanos);
    }

    /** @param about what its sentences begin with */
    public DatabaseWait(String about, Duration atMost, LongSupplier nanos) {
        this.about = about;
        this.nanos = nanos;
        this.end = nanos.getAsLong() + atMost.toNanos();
    }

    /** Waits for nothing. */
    public static DatabaseWait none() {
        return new DatabaseWait(Duration.ZERO, System::nanoTime);
    }

    /** @throws DatabaseException if the database was away for too long, or if waiting would not help */
    public <T> T take(Supplier<T> step) throws InterruptedException {
        while (true) {
            try {
                return step.get();
            } catch (DatabaseException away) {
                if (!away.fault().passes() || nanos.getAsLong() + RETRY_MILLIS * 1_000_000 > end) {
                    throw away;
                }
                if (!told) {
                    Output.warn("baton: " + about + "Waiting for the database: " + away.getMessage());
                    told = true;
                }
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }

    /** The same for a step without a result. */
    public void run(Runnable step) throws InterruptedException {
        take(() -> {
            step.run();
            return true;
        });
    }
}
