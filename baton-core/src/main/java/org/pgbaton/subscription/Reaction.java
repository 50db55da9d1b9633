package org.pgbaton.subscription;

import org.pgbaton.log.Message;

/**
 * Has effects outside the database: at least once, in order per key, with a stable message id and the epoch as fencing token. Called
 * by several threads at once, never for the same key.
 */
@FunctionalInterface
public interface Reaction {
    /**
     * Does what the message asks for, and returns when it is done.
     *
     * @throws Exception if it failed; see {@link Verdict} for what that means
     */
    void handle(Message message, Delivery delivery) throws Exception;
}
