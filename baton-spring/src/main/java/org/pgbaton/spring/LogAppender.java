package org.pgbaton.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.ExpectedVersion;
import org.pgbaton.log.Log;
import org.pgbaton.spring.transaction.CallersTransaction;

/** What {@link Outbox} and {@link EventLog} share: drafts of objects, and the caller's transaction. Thread-safe. */
final class LogAppender {
    private final String name;
    private final Supplier<Log> log;
    private final CallersTransaction transaction;
    private final PayloadDrafts payloads;
    private final List<DraftCustomizer> customizers;
    private final AppendObserver observer;

    LogAppender(
            String name,
            Supplier<Log> log,
            CallersTransaction transaction,
            PayloadDrafts payloads,
            List<DraftCustomizer> customizers,
            AppendObserver observer) {
        this.name = name;
        this.log = log;
        this.transaction = transaction;
        this.payloads = payloads;
        this.customizers = List.copyOf(customizers);
        this.observer = observer;
    }

    Log log() {
        return log.get();
    }

    Draft draft(Object payload) {
        return payloads.draft(payload);
    }

    List<Appended> join(String doing, String apart, List<Draft> drafts) {
        return observed(drafts, all -> inTransaction(doing, apart, connection -> log().append(connection, all)));
    }

    List<Appended> joinStream(String doing, String apart, String stream, ExpectedVersion expected, List<Draft> drafts) {
        return observed(
                drafts,
                all -> inTransaction(doing, apart, connection -> log().appendTo(connection, stream, expected, all)));
    }

    List<Appended> apart(List<Draft> drafts) {
        return observed(drafts, all -> log().append(all));
    }

    List<Appended> apartToStream(String stream, ExpectedVersion expected, List<Draft> drafts) {
        return observed(drafts, all -> log().appendTo(stream, expected, all));
    }

    private List<Appended> observed(List<Draft> drafts, Function<List<Draft>, List<Appended>> append) {
        List<Draft> customized = customized(drafts);
        return observer.observe(name, headers -> append.apply(withHeaders(customized, headers)));
    }

    private static List<Draft> withHeaders(List<Draft> drafts, Map<String, String> headers) {
        return headers.isEmpty()
                ? drafts
                : drafts.stream().map(draft -> withHeaders(draft, headers)).toList();
    }

    private static Draft withHeaders(Draft draft, Map<String, String> headers) {
        Draft changed = draft;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            changed = changed.headerIfAbsent(header.getKey(), header.getValue());
        }
        return changed;
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
