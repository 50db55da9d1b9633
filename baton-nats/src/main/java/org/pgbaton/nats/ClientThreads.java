package org.pgbaton.nats;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Threads for NATS's client. Its own would keep the JVM alive, and some of them would never end.
 *
 * @param callbacks one thread, so that callbacks come in order
 */
record ClientThreads(ExecutorService work, ExecutorService callbacks, ScheduledExecutorService timer) {
    static ClientThreads from(ThreadFactory factory) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, factory);
        timer.setRemoveOnCancelPolicy(true);
        return new ClientThreads(
                Executors.newCachedThreadPool(factory), Executors.newSingleThreadExecutor(factory), timer);
    }

    void end(Duration atMost) {
        timer.shutdownNow();
        end(work, atMost);
        end(callbacks, atMost);
    }

    private static void end(ExecutorService threads, Duration atMost) {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException stop) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
