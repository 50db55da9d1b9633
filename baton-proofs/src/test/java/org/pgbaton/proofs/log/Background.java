package org.pgbaton.proofs.log;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.pgbaton.testkit.TestDatabase;

/** Work of other threads while the test holds a transaction open. */
final class Background {
    private Background() {}

    static <T> CompletableFuture<T> run(Callable<T> work) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return work.call();
            } catch (RuntimeException failure) {
                throw failure;
            } catch (Exception failure) {
                throw new CompletionException(failure);
            }
        });
    }

    /** Waits until so many backends of the database wait for a lock. */
    static void awaitWaiting(TestDatabase database, int backends) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(10))
                .until(() -> database.one(
                                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
                        .equals(Integer.toString(backends)));
    }
}
