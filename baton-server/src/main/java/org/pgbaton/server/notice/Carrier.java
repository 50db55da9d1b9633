package org.pgbaton.server.notice;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;

/** Writes notices, and takes them to where they belong. Thread-safe. */
interface Carrier extends AutoCloseable {
    /** Where to, for people; without secrets. */
    String target();

    /**
     * @param changes at least one; several are a digest
     * @throws org.pgbaton.subscription.HandlerException if none can be made of them
     */
    Notice notice(List<RowChange> changes);

    /**
     * @param message the notice's identity, and the change itself if there is one
     * @return as {@link org.pgbaton.subscription.Publisher#publish}
     */
    CompletionStage<?> send(Notice notice, Message message, Delivery delivery);

    @Override
    void close();
}
