package org.pgbaton.subscription;

import java.util.List;
import org.pgbaton.log.Message;

/** As {@link Reaction}, for many messages at once, in position order. If it fails, it is called again for each key alone. */
@FunctionalInterface
public interface BatchReaction {
    /**
     * Does what the messages ask for, and returns when it is done.
     *
     * @throws Exception if it failed; see {@link Verdict} for what that means
     */
    void handle(List<Message> messages, Delivery delivery) throws Exception;
}
