package org.pgbaton.dashboard.act;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.pgbaton.dashboard.http.RefusedException;

/**
 * Waits for what an operator does, but not for long: a row that somebody else has locked, or a network that swallows everything, would hold the
 * operator's browser for minutes.
 *
 * <p>What was begun cannot be called back, because nobody knows whether the server has done it already. So it goes on, on a thread of its own, and
 * the operator is told to look. Only a few may be under way, so that impatient operators take no more than a few connections. Thread-safe.
 */
final class BoundedWait {
    private static final Duration LONGEST = Duration.ofSeconds(8);
    private static final int AT_ONCE = 4;

    private final Semaphore turns = new Semaphore(AT_ONCE);

    /** @throws RefusedException if there is no result in time, or others are being waited for already */
    String forResult(Supplier<String> action) throws InterruptedException {
        if (!turns.tryAcquire()) {
            throw new RefusedException(
                    503,
                    AT_ONCE
                            + " actions still wait for the database, so nothing was done: try again when they have ended.");
        }
        FutureTask<String> task = new FutureTask<>(() -> {
            try {
                return action.get();
            } finally {
                turns.release();
            }
        });
        Thread thread = new Thread(task, "baton-action");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            throw new RefusedException(
                    504,
                    "The database has not answered within " + LONGEST.toSeconds()
                            + " s. It may still do it: look at the actions before you try again.");
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof RuntimeException theirs
                    ? theirs
                    : new IllegalStateException("the action failed", failed.getCause());
        }
    }
}
