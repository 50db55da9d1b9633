package org.pgbaton.session;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;

/**
 * Threads for short work that nobody waits for, now or after a delay. After {@link #close} nothing is begun any more, and nobody is told.
 * Thread-safe.
 */
public final class BackgroundTasks implements Executor, AutoCloseable {
    private static final Logger log = LineLogger.of(BackgroundTasks.class);

    /** How long a thread without work stays. After a burst, such as all lanes that meet an outage, the threads are gone soon. */
    private static final Duration IDLE = Duration.ofSeconds(2);

    private final ExecutorService threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE.toMillis(),
            TimeUnit.MILLISECONDS,
            new SynchronousQueue<>(),
            named("baton-work"));
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, named("baton-timer"));

    public BackgroundTasks() {
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void execute(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException afterClosing) {
            log.debug("Nothing is begun any more");
        }
    }

    /** Runs the task after the delay, on a thread of its own. */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    public void later(Runnable task, Duration delay) {
        try {
            timer.schedule(() -> execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException afterClosing) {
            log.debug("Nothing is begun any more");
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        threads.shutdown();
    }

    /** Daemon threads with a name and a number. */
    public static ThreadFactory named(String prefix) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
