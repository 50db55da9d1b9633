package org.pgbaton.embedded;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes something when the JVM ends in good order, unless that was done before. Thread-safe. */
final class ExitHook {

    private static final Logger log = LoggerFactory.getLogger(ExitHook.class);

    private final Thread thread;

    /** @param name of the thread that closes it */
    ExitHook(String name, Runnable close) {
        this.thread = new Thread(close, name);
    }

    void register() {
        Runtime.getRuntime().addShutdownHook(thread);
    }

    /** It is closed, and nothing is left to do. */
    void forget() {
        if (thread != Thread.currentThread()) {
            try {
                Runtime.getRuntime().removeShutdownHook(thread);
            } catch (IllegalStateException alreadyShuttingDown) {
                log.trace("Closed while the JVM shuts down");
            }
        }
    }
}
