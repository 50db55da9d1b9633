package org.pgbaton.spring.dashboard;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.pgbaton.spring.start.BatonLifecycle;
import org.springframework.context.SmartLifecycle;

/**
 * The threads of live pages, one for each viewer, which waits most of its time. They end before the web server waits for its requests: live
 * pages would never end by themselves. Thread-safe.
 */
public final class LiveStreams implements SmartLifecycle {
    private final AtomicInteger count = new AtomicInteger();
    private volatile @Nullable ExecutorService threads;

    /** Not started yet. */
    public LiveStreams() {}

    /** @return false if the application is starting or ending */
    boolean run(Runnable stream) {
        ExecutorService running = threads;
        if (running == null) {
            return false;
        }
        try {
            running.execute(stream);
            return true;
        } catch (RejectedExecutionException ending) {
            return false;
        }
    }

    @Override
    public synchronized void start() {
        if (threads == null) {
            threads = new ThreadPoolExecutor(
                    0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                        Thread thread = new Thread(task, "baton-viewer-" + count.incrementAndGet());
                        thread.setDaemon(true);
                        return thread;
                    });
        }
    }

    @Override
    public synchronized void stop() {
        ExecutorService running = threads;
        threads = null;
        if (running != null) {
            running.shutdownNow();
        }
    }

    @Override
    public boolean isRunning() {
        return threads != null;
    }

    @Override
    public int getPhase() {
        return BatonLifecycle.PHASE;
    }
}
