package org.pgbaton.subscription;

import java.sql.Connection;
import java.util.List;
import org.pgbaton.log.Message;

/** As {@link Projection}, for many messages at once, in position order. */
@FunctionalInterface
public interface BatchProjection {
    /**
     * Writes what the messages mean, on this connection.
     *
     * @throws Exception if it failed; see {@link Verdict} for what that means
     */
    void apply(List<Message> messages, Connection connection) throws Exception;
}
