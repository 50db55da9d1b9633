package org.pgbaton.campaign;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgbaton.session.LineLogger;
import org.slf4j.Logger;

/** One thread that does one thing after the other, now or later; {@link #close} waits for it. Thread-safe. */
final class OneThread implements AutoCloseable {
    private static final Logger log = LineLogger.of(OneThread.class);

    private final ScheduledThreadPoolExecutor executor;
    private volatile @Nullable Thread thread;

    /** @param finishes whether what waits to be done is still done when it is closed */
    OneThread(String name, boolean finishes) {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, name);
            made.setDaemon(true);
            thread = made;
            return made;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(finishes);
    }

    void execute(Runnable task) {
        executor.execute(task);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    void later(Runnable task, Duration delay) {
        executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Waits for the thread itself: a pool's word for it comes a moment earlier. */
    @Override
    public void close() {
        executor.shutdown();
        Thread running = thread;
        try {
            if (running != null && running != Thread.currentThread()) {
                running.join(1000);
                if (running.isAlive()) {
                    log.warn("The thread {} does not end; it is left to itself", running.getName());
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
