package org.pgbaton.publishing;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes daemon threads, which do not keep the JVM alive, with a name and a number. Thread-safe. */
public final class DaemonThreads implements ThreadFactory {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final String name;

    /**
     * For threads whose names begin alike.
     *
     * @param name the beginning of the threads' names: {@code baton-nats} makes {@code baton-nats-1}
     */
    public DaemonThreads(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable work) {
        Thread thread = new Thread(work, name + "-" + NUMBER.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }
}
