package org.pgbaton.spring;

import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.spring.start.DatabaseAtStart;
import org.pgbaton.spring.start.LogAtStart;
import org.pgbaton.spring.transaction.CallersTransaction;

/**
 * Makes beans for logs besides the two that the starter makes.
 *
 * <pre>{@code
 * @Bean
 * EventLog audit(LogFactory logs) {
 *     return logs.eventLog("audit");
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class LogFactory {
    private final Baton baton;
    private final DatabaseAtStart database;
    private final CallersTransaction transaction;
    private final PayloadDrafts payloads;
    private final List<DraftCustomizer> customizers;
    private final AppendObserver observer;

    /** For the logs of this Baton, and transactions of its data source. */
    public LogFactory(
            Baton baton,
            DatabaseAtStart database,
            CallersTransaction transaction,
            PayloadDrafts payloads,
            List<DraftCustomizer> customizers,
            AppendObserver observer) {
        this.baton = baton;
        this.database = database;
        this.transaction = transaction;
        this.payloads = payloads;
        this.customizers = List.copyOf(customizers);
        this.observer = observer;
    }

    /**
     * The outbox of that name.
     *
     * @throws org.pgbaton.log.LogException if there is none
     */
    public Outbox outbox(String name) {
        LogAtStart log = new LogAtStart(name, database, () -> baton.outbox(name).log());
        return new Outbox(name, log, transaction, payloads, customizers, observer);
    }

    /**
     * The log of that name.
     *
     * @throws org.pgbaton.log.LogException if there is none
     */
    public EventLog eventLog(String name) {
        LogAtStart log = new LogAtStart(name, database, () -> baton.log(name));
        return new EventLog(name, log, transaction, payloads, customizers, observer);
    }
}
