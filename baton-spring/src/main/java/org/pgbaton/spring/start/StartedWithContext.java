package org.pgbaton.spring.start;

import java.util.List;

/** A bean with something that runs from the start of the context to its end, such as subscriptions. */
@FunctionalInterface
public interface StartedWithContext {
    /**
     * Starts everything, and returns what to close at the end. Can be called again after that. If it throws, nothing of it runs.
     *
     * <p>The database is ready then. In an application that started without one this is called later, on another thread.
     */
    List<? extends AutoCloseable> start();
}
