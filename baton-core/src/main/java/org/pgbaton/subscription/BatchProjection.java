package org.pgbaton.subscription;

import java.sql.Connection;
import java.util.List;
import org.pgbaton.log.Message;

/** As {@link Projection}, for many messages at once, in position order. */
@FunctionalInterface
public interface BatchProjection {
    void apply(List<Message> messages, Connection connection) throws Exception;
}
