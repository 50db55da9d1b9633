package org.pgbaton.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Supplier;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.ExpectedVersion;
import org.pgbaton.log.Log;
import org.pgbaton.spring.transaction.CallersTransaction;

/** What {@link Outbox} and {@link EventLog} share: drafts of objects, and the caller's transaction. Thread-safe. */
final class LogAppender {
    private final Supplier<Log> log;
    private final CallersTransaction transaction;
    private final PayloadDrafts payloads;
    private final List<DraftCustomizer> customizers;

    LogAppender(
            Supplier<Log> log,
            CallersTransaction transaction,
            PayloadDrafts payloads,
            List<DraftCustomizer> customizers) {
        this.log = log;
        this.transaction = transaction;
        this.payloads = payloads;
        this.customizers = List.copyOf(customizers);
    }

    Log log() {
        return log.get();
    }

    Draft draft(Object payload) {
        return payloads.draft(payload);
    }

    List<Appended> join(String doing, String apart, List<Draft> drafts) {
        List<Draft> customized = customized(drafts);
        return inTransaction(doing, apart, connection -> log().append(connection, customized));
    }

    List<Appended> joinStream(String doing, String apart, String stream, ExpectedVersion expected, List<Draft> drafts) {
        List<Draft> customized = customized(drafts);
        return inTransaction(doing, apart, connection -> log().appendTo(connection, stream, expected, customized));
    }

    List<Appended> apart(List<Draft> drafts) {
        return log().append(customized(drafts));
    }

    List<Appended> apartToStream(String stream, ExpectedVersion expected, List<Draft> drafts) {
        return log().appendTo(stream, expected, customized(drafts));
    }

    private List<Appended> inTransaction(String doing, String apart, Joined work) {
        return transaction.run(doing, apart, work::on);
    }

    private List<Draft> customized(List<Draft> drafts) {
        return customizers.isEmpty()
                ? drafts
                : drafts.stream().map(this::customized).toList();
    }

    private Draft customized(Draft draft) {
        Draft changed = draft;
        for (DraftCustomizer each : customizers) {
            changed = each.customize(changed);
        }
        return changed;
    }

    private interface Joined {
        List<Appended> on(Connection connection) throws SQLException;
    }
}
