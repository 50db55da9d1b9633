package org.pgbaton.server.notice;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;

/** Writes notices in the form of one kind of channel, and sends them. Thread-safe. */
interface Carrier extends AutoCloseable {
    /** Where notices are sent, for people; without secrets. */
    String target();

    /**
     * @param changes at least one; several are a digest
     * @throws org.pgbaton.subscription.HandlerException if no notice can be written for them
     */
    Notice notice(List<RowChange> changes);

    /**
     * @param message has the id of the notice; of a single change it is the message in the log
     * @return as {@link org.pgbaton.subscription.Publisher#publish}
     */
    CompletionStage<?> send(Notice notice, Message message, Delivery delivery);

    @Override
    void close();
}
