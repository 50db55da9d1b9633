package org.pgbaton.subscription;

import java.util.List;
import java.util.Map;
import org.pgbaton.log.Message;

/** One group's way to a {@link TransactionalPublisher}. Thread-safe: one transaction after the other. */
public interface Feed extends AutoCloseable {
    /** The marks that were recorded, by whomever, when this feed was taken over. */
    Map<String, String> marks();

    /**
     * Makes these messages visible, in this order, together with the marks, or nothing of it. Blocks until it is decided, within a time
     * limit.
     *
     * @param marks by name; an empty value removes a mark
     * @throws FeedException if it failed; its kind tells what that means
     */
    void publish(List<Message> messages, Delivery delivery, Map<String, String> marks);

    /** Gives it back. A transaction that is under way is aborted. */
    @Override
    void close();
}
