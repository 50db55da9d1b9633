package org.pgbaton.spring.listener;

import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/** Sees each call of a listener. Called on the thread that calls the listener. */
@FunctionalInterface
public interface ListenerObserver {
    /** Looks at nothing. */
    ListenerObserver NONE = (called, message, call) -> call.run();

    /**
     * Makes the call, and throws what it throws.
     *
     * @param message null for a batch
     */
    void observe(Called called, @Nullable Message message, Call call) throws Exception;

    /** Which listener is called. */
    record Called(String subscription, String log) {}

    /** The call. */
    @FunctionalInterface
    interface Call {
        /** Calls the listener's method. */
        void run() throws Exception;
    }
}
