package org.pgbaton.spring;

import java.util.List;
import java.util.function.Supplier;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.spring.transaction.CallersTransaction;

/**
 * Sends messages together with the caller's writes: a message is sent if, and only if, the caller's {@code @Transactional} commits.
 *
 * <pre>{@code
 * @Transactional
 * public void place(Order order) {
 *     orders.save(order);
 *     outbox.send("orders", order.id(), new OrderPlaced(order.id(), order.total()));
 * }
 * }</pre>
 *
 * <p>Guarantee: {@code send} writes on the connection of the caller's transaction, whether it was begun for JDBC, JPA, jOOQ or Spring Data.
 * Without such a transaction it throws an {@link org.springframework.transaction.IllegalTransactionStateException}, and nothing is sent.
 * {@code sendNow} needs no transaction, and takes no part in one: its message stays sent, whatever becomes of the caller's.
 *
 * <p>Messages with the same key are sent in the order of their positions. See {@link org.pgbaton.outbox.Outbox} for what an outbox
 * refuses. Thread-safe.
 */
public final class Outbox {
    private final String name;
    private final LogAppender appender;

    /**
     * An outbox for the transactions of one data source. Spring Boot's starter makes one for the log {@code outbox}.
     *
     * @param log the log, which is an outbox; asked for at each call
     */
    public Outbox(
            String name,
            Supplier<Log> log,
            CallersTransaction transaction,
            PayloadDrafts payloads,
            List<DraftCustomizer> customizers,
            AppendObserver observer) {
        this.name = name;
        this.appender = new LogAppender(name, log, transaction, payloads, customizers, observer);
    }

    /** Sends when the caller's transaction commits. */
    public Appended send(Draft message) {
        return send(List.of(message)).get(0);
    }

    /** Sends all of them, in this order, when the caller's transaction commits. */
    public List<Appended> send(List<Draft> messages) {
        return appender.join("send to the outbox '" + name + "'", "sendNow", messages);
    }

    /**
     * Sends an object when the caller's transaction commits.
     *
     * @param topic where a publisher sends it
     * @param key what must stay in order
     * @param payload an object of the application, written by its {@link org.pgbaton.typed.Codecs}; or a {@link Draft}
     */
    public Appended send(String topic, String key, Object payload) {
        return send(appender.draft(payload).topic(topic).key(key));
    }

    /**
     * A draft of an object, without topic and key, for those who set more than these: headers, an id.
     *
     * @param payload an object of the application, written by its {@link org.pgbaton.typed.Codecs}; or a {@link Draft}
     */
    public Draft draft(Object payload) {
        return appender.draft(payload);
    }

    /** Sends at once, in a transaction of its own. */
    public Appended sendNow(Draft message) {
        return sendNow(List.of(message)).get(0);
    }

    /** Sends all or none, in this order, at once and in a transaction of their own. */
    public List<Appended> sendNow(List<Draft> messages) {
        return appender.apart(messages);
    }

    /** Sends an object at once, in a transaction of its own. */
    public Appended sendNow(String topic, String key, Object payload) {
        return sendNow(appender.draft(payload).topic(topic).key(key));
    }

    /** The log behind it, to read. */
    public Log log() {
        return appender.log();
    }

    @Override
    public String toString() {
        return "outbox '" + name + "'";
    }
}
