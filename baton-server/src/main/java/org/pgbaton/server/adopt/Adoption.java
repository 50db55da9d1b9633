package org.pgbaton.server.adopt;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.Fault;
import org.pgbaton.database.SchemaName;
import org.pgbaton.migration.AdoptionFunctions;

/**
 * The steps of an adoption, each in one transaction, and its state.
 *
 * <p>Guarantee: a step that ends in any way but success, also by a kill, changes nothing: neither the table nor Baton's schema, which has
 * the {@link AdoptionFunctions} only while a table is adopted.
 */
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

    /** @throws DatabaseException if our role may not do in Baton's schema what its owner may */
    void requireOwnerOfSchema() {
        requireMember(AdoptSql.OWNER_OF_SCHEMA, schema.name(), "tables", "the schema '" + schema + "'");
    }

    /** @throws DatabaseException if our role may not do to the table what its owner may: only the owner can remove triggers */
    void requireOwnerOf(OldTable table) {
        requireMember(AdoptSql.OWNER_OF_TABLE, table.name(), "the table " + table.name(), "the table");
    }

    private void requireMember(String sql, String subject, String toAdopt, String owned) {
        call("look who owns " + owned, connection -> {
            try (PreparedStatement select = prepare(connection, sql)) {
                select.setString(1, subject);
                try (ResultSet row = select.executeQuery()) {
                    if (row.next() && !row.getBoolean(3)) {
                        throw new DatabaseException(
                                Fault.NO_PRIVILEGE,
                                "The role '" + row.getString(1) + "' may not adopt " + toAdopt
                                        + ": it is not a member of '" + row.getString(2) + "', which owns " + owned
                                        + ".");
                    }
                    return true;
                }
            }
        });
    }

    OldTable table(String name) {
        return call("look at table '" + name + "'", connection -> OldTable.read(connection, schema, name));
    }

    /** Looks in a transaction that is rolled back: the functions that it needs are gone with it. */
    Findings check(Plan plan) {
        return call("look at table '" + plan.table() + "'", connection -> {
            beginStep(connection);
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
                    Findings found = new Findings(
                            statuses,
                            row.getLong(1),
                            row.getLong(2),
                            row.getString(3),
                            row.getString(4),
                            row.getString(5));
                    connection.rollback();
                    return found;
                }
            }
        });
    }

    /** Null if the table is not adopted. */
    @Nullable
    State state(String table) {
        Optional<State> found = call("look at the adoption of table '" + table + "'", connection -> {
            if (!isAdopted(connection, table)) {
                return Optional.empty();
            }
            try {
                return state(connection, table);
            } catch (SQLException failure) {
                // The functions go with the last adoption, and that may have ended just now.
                if (Fault.of(failure) == Fault.NO_SCHEMA && !isAdopted(connection, table)) {
                    return Optional.empty();
                }
                throw failure;
            }
        });
        return found.orElse(null);
    }

    private boolean isAdopted(Connection connection, String table) throws SQLException {
        try (PreparedStatement select = prepare(connection, AdoptSql.IS_ADOPTED)) {
            select.setString(1, table);
            try (ResultSet row = select.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    private Optional<State> state(Connection connection, String table) throws SQLException {
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

    /** Removes what is left of adopted tables that were dropped. */
    void forgetDroppedTables() {
        call("look after adopted tables that were dropped", connection -> {
            connection.setAutoCommit(false);
            execute(connection, AdoptSql.READ_COMMITTED);
            execute(connection, AdoptionFunctions.removal(schema));
            connection.commit();
            return true;
        });
    }

    private @Nullable Object step(String sql, String table, String subject) {
        Optional<Object> answer = call("change table '" + table + "'", connection -> {
            beginStep(connection);
            Optional<Object> said;
            try (PreparedStatement step = prepare(connection, sql)) {
                step.setString(1, subject);
                step.setString(2, who);
                step.setString(3, reason);
                try (ResultSet row = step.executeQuery()) {
                    row.next();
                    said = Optional.ofNullable(row.getObject(1));
                }
            }
            execute(connection, AdoptionFunctions.removal(schema));
            connection.commit();
            return said;
        });
        return answer.orElse(null);
    }

    private void beginStep(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        execute(connection, AdoptSql.READ_COMMITTED);
        execute(connection, AdoptionFunctions.installation(schema));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
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
