package org.pgbaton.spring.start;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts subscriptions and relays when the context is up, and ends them before anything that they use: handlers that run may end, and
 * checkpoints are written while the pool is still open.
 *
 * <p>Phase: after the web server when starting; when stopping, before the web server waits for its requests. Requests may still send; they
 * need the pool alone. Thread-safe.
 */
public final class BatonLifecycle implements SmartLifecycle {
    /** Between Spring's default, the highest, and the web server's. */
    public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 512;

    private static final Logger log = LoggerFactory.getLogger(BatonLifecycle.class);

    private final DatabaseAtStart database;
    private final List<StartedWithContext> parts;
    private final List<AutoCloseable> running = new ArrayList<>();
    private final Runnable startParts = this::startParts;
    /** Changed with the monitor of {@code running}; read without it, because stopping holds that for long. */
    private volatile boolean started;

    /** Of these parts, started in this order. */
    public BatonLifecycle(DatabaseAtStart database, List<StartedWithContext> parts) {
        this.database = database;
        this.parts = List.copyOf(parts);
    }

    @Override
    public void start() {
        synchronized (running) {
            started = true;
        }
        database.whenReady(startParts);
    }

    private void startParts() {
        synchronized (running) {
            if (!started || !running.isEmpty()) {
                return;
            }
            try {
                parts.forEach(part -> running.addAll(part.start()));
            } catch (RuntimeException failed) {
                close(running);
                running.clear();
                throw failed;
            }
        }
    }

    @Override
    public void stop() {
        database.forget(startParts);
        synchronized (running) {
            started = false;
            close(running);
            running.clear();
        }
    }

    /** On another thread, so that what others have to stop in the same phase need not wait. */
    @Override
    public void stop(Runnable callback) {
        Thread thread = new Thread(
                () -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                },
                "baton-stop");
        thread.setDaemon(true);
        thread.start();
    }

    /** All at the same time: each waits for handlers of its own. */
    private static void close(List<AutoCloseable> all) {
        List<Thread> threads = all.stream().map(BatonLifecycle::closing).toList();
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static Thread closing(AutoCloseable each) {
        Thread thread = new Thread(
                () -> {
                    try {
                        each.close();
                    } catch (Exception failed) {
                        log.warn("{} could not be closed properly.", each, failed);
                    }
                },
                "baton-stop");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public boolean isRunning() {
        return started;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
