package org.pgbaton.spring;

import java.util.List;
import java.util.function.Supplier;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.ExpectedVersion;
import org.pgbaton.log.Log;
import org.pgbaton.log.Reading;
import org.pgbaton.spring.transaction.CallersTransaction;

/**
 * Appends events together with the caller's writes: an event is in the log if, and only if, the caller's {@code @Transactional} commits.
 *
 * <pre>{@code
 * @Transactional
 * public void deposit(String account, int amount) {
 *     accounts.add(account, amount);
 *     events.append(account, new Deposited(amount));
 * }
 * }</pre>
 *
 * <p>Guarantee: {@code append} and {@code appendTo} write on the connection of the caller's transaction, whether it was begun for JDBC,
 * JPA, jOOQ or Spring Data. Without such a transaction they throw an {@link
 * org.springframework.transaction.IllegalTransactionStateException}, and nothing is appended. {@code appendNow} and {@code appendNowTo}
 * need no transaction, and take no part in one. Thread-safe.
 */
public final class EventLog {
    private final String name;
    private final LogAppender appender;

    /**
     * A log for the transactions of one data source. Spring Boot's starter makes one for the log {@code events}.
     *
     * @param log asked for at each call
     */
    public EventLog(
            String name,
            Supplier<Log> log,
            CallersTransaction transaction,
            PayloadDrafts payloads,
            List<DraftCustomizer> customizers,
            AppendObserver observer) {
        this.name = name;
        this.appender = new LogAppender(name, log, transaction, payloads, customizers, observer);
    }

    /** Appends when the caller's transaction commits. */
    public Appended append(Draft event) {
        return append(List.of(event)).get(0);
    }

    /** Appends all of them, in this order, when the caller's transaction commits. */
    public List<Appended> append(List<Draft> events) {
        return appender.join(doing(), "appendNow", events);
    }

    /**
     * Appends an object when the caller's transaction commits.
     *
     * @param key what must stay in order
     * @param event an object of the application, written by its {@link org.pgbaton.typed.Codecs}; or a {@link Draft}
     */
    public Appended append(String key, Object event) {
        return append(appender.draft(event).key(key));
    }

    /**
     * Appends to one stream when the caller's transaction commits.
     *
     * @throws org.pgbaton.log.VersionConflict if the stream is not where it was expected; the transaction can go on
     */
    public List<Appended> appendTo(String stream, ExpectedVersion expected, List<?> events) {
        return appender.joinStream(doing(), "appendNowTo", stream, expected, drafts(events));
    }

    /** Appends at once, in a transaction of its own. */
    public Appended appendNow(Draft event) {
        return appendNow(List.of(event)).get(0);
    }

    /** Appends all or none, in this order, at once and in a transaction of their own. */
    public List<Appended> appendNow(List<Draft> events) {
        return appender.apart(events);
    }

    /** Appends an object at once, in a transaction of its own. */
    public Appended appendNow(String key, Object event) {
        return appendNow(appender.draft(event).key(key));
    }

    /**
     * Appends to one stream at once, in a transaction of its own.
     *
     * @throws org.pgbaton.log.VersionConflict if the stream is not where it was expected
     */
    public List<Appended> appendNowTo(String stream, ExpectedVersion expected, List<?> events) {
        return appender.apartToStream(stream, expected, drafts(events));
    }

    /** Says what to read. Nothing happens until the messages are asked for. */
    public Reading read() {
        return log().read();
    }

    /** The log behind it. */
    public Log log() {
        return appender.log();
    }

    private List<Draft> drafts(List<?> events) {
        return events.stream().map(event -> appender.draft(event)).toList();
    }

    private String doing() {
        return "append to the log '" + name + "'";
    }

    @Override
    public String toString() {
        return "log '" + name + "'";
    }
}
