package org.pgbaton.server.adopt;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;

/** The steps of an adoption, each in one transaction, and its state. */
final class Adoption {
    private final DatabaseUrl url;
    private final SchemaName schema;
    private final String who;
    private final String reason;

    Adoption(DatabaseUrl url, String schema, String who, String reason) {
        this.url = url;
        this.schema = new SchemaName(schema);
        this.who = who;
        this.reason = reason;
    }

    /**
     * The state of an adoption that has begun.
     *
     * @param pending how many rows the old relay has still to send
     * @param unsent how many messages relays of the log have to send before the table can be given back; null if the log has no relay
     * @param waiting how many new rows wait until the relay before is done
     */
    record State(
            String name, String log, long pending, @Nullable Long unsent, long waiting, String statuses) {
        boolean is(String wanted) {
            return name.equals(wanted);
        }
    }

    /**
     * What a look at the rows of the table has found.
     *
     * @param statuses how many rows have which status
     * @param example the id of a row that the log would refuse; null if there is none
     * @param fault why the log would refuse it
     * @param statusFault why the status column does not accept the values that an adoption needs; null if it does
     */
    record Findings(
            Map<String, Long> statuses,
            long lookedAt,
            long refused,
            @Nullable String example,
            @Nullable String fault,
            @Nullable String statusFault) {}

    OldTable table(String name) {
        return call("look at table '" + name + "'", connection -> OldTable.read(connection, schema, name));
    }

    Findings check(Plan plan) {
        return call("look at table '" + plan.table() + "'", connection -> {
            Map<String, Long> statuses = new LinkedHashMap<>();
            String count = AdoptSql.STATUSES
                    .replace("${table}", plan.table())
                    .replace("${status}", '"' + plan.status().replace("\"", "\"\"") + '"');
            try (PreparedStatement select = connection.prepareStatement(count);
                    ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    statuses.put(row.getString(1), row.getLong(2));
                }
            }
            try (PreparedStatement check = prepare(connection, AdoptSql.CHECK)) {
                check.setString(1, plan.asRow());
                try (ResultSet row = check.executeQuery()) {
                    row.next();
                    return new Findings(
                            statuses,
                            row.getLong(1),
                            row.getLong(2),
                            row.getString(3),
                            row.getString(4),
                            row.getString(5));
                }
            }
        });
    }

    /** Null if the table is not adopted. */
    @Nullable
    State state(String table) {
        Optional<State> found = call("look at the adoption of table '" + table + "'", connection -> {
            try (PreparedStatement select = prepare(connection, AdoptSql.STATE)) {
                select.setString(1, table);
                try (ResultSet row = select.executeQuery()) {
                    return row.next()
                            ? Optional.of(new State(
                                    row.getString(1),
                                    row.getString(2),
                                    row.getLong(3),
                                    row.getObject(4, Long.class),
                                    row.getLong(5),
                                    row.getString(6)))
                            : Optional.empty();
                }
            }
        });
        return found.orElse(null);
    }

    boolean hasReaders(String log) {
        return call("look who reads log '" + log + "'", connection -> {
            try (PreparedStatement select = prepare(connection, AdoptSql.HAS_READERS)) {
                select.setString(1, log);
                try (ResultSet row = select.executeQuery()) {
                    return row.next() && row.getBoolean(1);
                }
            }
        });
    }

    void begin(Plan plan) {
        step(AdoptSql.BEGIN, plan.table(), plan.asRow());
    }

    /** @return how many rows had waited; null if the old relay is not done yet */
    @Nullable
    Long finish(String table) {
        return (Long) step(AdoptSql.FINISH, table, table);
    }

    void beginReturn(String table) {
        step(AdoptSql.BEGIN_RETURN, table, table);
    }

    /** @return false if relays of the log are not done yet */
    boolean finishReturn(String table) {
        return Boolean.TRUE.equals(step(AdoptSql.FINISH_RETURN, table, table));
    }

    private @Nullable Object step(String sql, String table, String subject) {
        Optional<Object> answer = call("change table '" + table + "'", connection -> {
            try (PreparedStatement step = prepare(connection, sql)) {
                step.setString(1, subject);
                step.setString(2, who);
                step.setString(3, reason);
                try (ResultSet row = step.executeQuery()) {
                    row.next();
                    return Optional.ofNullable(row.getObject(1));
                }
            }
        });
        return answer.orElse(null);
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return connection.prepareStatement(schema.in(sql));
    }

    @FunctionalInterface
    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private <T> T call(String doing, Work<T> work) {
        try (Connection connection = url.connector().connect()) {
            return work.on(connection);
        } catch (SQLException failure) {
            throw DatabaseException.of(doing, failure);
        }
    }
}
