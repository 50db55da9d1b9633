package org.pgbaton.embedded;

import org.jspecify.annotations.Nullable;

/**
 * The end of a temporary server: it is deleted when it is closed, at the latest when the JVM ends, and only once.
 *
 * <p>All methods are called with the server's monitor held.
 */
final class Disposal {

    private final Runnable delete;

    private @Nullable ExitHook hook;

    private boolean done;

    Disposal(Runnable delete) {
        this.delete = delete;
    }

    /** @param close has to call {@link #run} */
    void atExit(Runnable close) {
        hook = new ExitHook("baton-throwaway-postgres", close);
        hook.register();
    }

    boolean isDone() {
        return done;
    }

    /** When the server is stopped. */
    void run() {
        if (!done) {
            done = true;
            delete.run();
            if (hook != null) {
                hook.forget();
            }
        }
    }
}
