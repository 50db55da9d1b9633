package org.pgbaton.capture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.SchemaName;

/**
 * The publication of a capture: which tables and operations the server sends. Baton makes it, before the slot, and changes it when
 * the wish has changed; or somebody else made it, and it only has to cover the wish. It is never dropped but by command.
 */
final class Publication {
    private static final int ROW_FILTERS_SINCE = 150_000;

    private final Plan plan;
    private final SchemaName baton;

    Publication(Plan plan, SchemaName baton) {
        this.plan = plan;
        this.baton = baton;
    }

    private record Present(
            Set<String> operations,
            Set<String> tables,
            @Nullable String ownLog,
            boolean isRestricted) {}

    /** Makes it, changes it, or finds that it fits. In a transaction. */
    void ensure(Connection connection, List<Table> tables, int serverVersion, boolean known) throws SQLException {
        requireFilters(serverVersion);
        Present present = find(connection);
        if (plan.foreignPublication()) {
            requireCoverage(present, tables);
        } else if (present == null) {
            execute(connection, "CREATE PUBLICATION " + name() + members(tables) + " WITH (" + options() + ")");
            requireFilteredByIdentity(connection, tables);
        } else if (!known) {
            throw new CaptureException(start() + "there is a publication '" + plan.publication()
                    + "' already, which this capture did not make. To use it, name it as the capture's publication; otherwise drop it, or give "
                    + "the capture another name.");
        } else if (!isAsWished(present, tables)) {
            if (!tables.isEmpty()) {
                execute(
                        connection,
                        "ALTER PUBLICATION " + name() + " SET" + members(tables).substring(4));
            }
            execute(connection, "ALTER PUBLICATION " + name() + " SET (" + options() + ")");
            requireFilteredByIdentity(connection, tables);
        }
        Present made = find(connection);
        if (made != null && made.ownLog != null) {
            throw new CaptureException(
                    start() + "the publication '" + plan.publication() + "' contains " + made.ownLog
                            + ", a log of Baton's own, so that everything captured would be captured again. Name the tables one by one.");
        }
    }

    /** What filters and lists of columns say cannot be compared: with any, it is set anew. */
    private boolean isAsWished(Present present, List<Table> tables) {
        return !present.isRestricted
                && present.tables.equals(tables.stream().map(Table::quoted).collect(Collectors.toSet()))
                && present.operations.equals(Set.copyOf(plan.operationWords()))
                && tables.stream().allMatch(table -> table.wish().where() == null);
    }

    private void requireFilters(int serverVersion) {
        for (CapturedTable table : plan.tables()) {
            if (table.where() != null && serverVersion < ROW_FILTERS_SINCE) {
                throw new CaptureException(start() + "row filters need PostgreSQL 15 or later, and this server is "
                        + serverVersion / 10_000 + ". Leave the filter of " + table.name()
                        + " out, and filter where the log is read.");
            }
        }
    }

    private void requireCoverage(@Nullable Present present, List<Table> tables) {
        if (present == null) {
            throw new CaptureException(start() + "there is no publication '" + plan.publication()
                    + "'. Create it, or leave its name out and Baton makes one.");
        }
        for (Table table : tables) {
            if (!present.tables.contains(table.quoted())) {
                throw new CaptureException(start() + "the publication '" + plan.publication() + "' does not contain "
                        + table.quoted() + ". ALTER PUBLICATION " + name() + " ADD TABLE " + table.quoted() + ".");
            }
        }
        for (String wanted : plan.operationWords()) {
            if (!present.operations.contains(wanted)) {
                throw new CaptureException(start() + "the publication '" + plan.publication() + "' does not publish "
                        + wanted + ": ALTER PUBLICATION " + name() + " SET (publish = '"
                        + String.join(", ", plan.operationWords()) + "').");
            }
        }
    }

    /** Otherwise the application's own UPDATE would fail. */
    private void requireFilteredByIdentity(Connection connection, List<Table> tables) throws SQLException {
        if (!plan.operations().contains(Operation.UPDATE) && !plan.operations().contains(Operation.DELETE)) {
            return;
        }
        for (Table table : tables) {
            if (table.wish().where() == null) {
                continue;
            }
            try (PreparedStatement select = connection.prepareStatement(CaptureSql.FILTERED_BY)) {
                select.setString(1, plan.publication());
                select.setLong(2, table.oid());
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        if (!table.identity().contains(row.getString(1))) {
                            throw new CaptureException(start() + "the row filter of " + table.quoted() + " looks at '"
                                    + row.getString(1)
                                    + "', which is not in its replica identity, so PostgreSQL would refuse the application's "
                                    + "own UPDATE and DELETE. ALTER TABLE " + table.quoted()
                                    + " REPLICA IDENTITY FULL, or capture insert only.");
                        }
                    }
                }
            }
        }
    }

    private @Nullable Present find(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(baton.in(CaptureSql.PUBLICATION))) {
            select.setString(1, plan.publication());
            try (ResultSet row = select.executeQuery()) {
                return row.next()
                        ? new Present(
                                new TreeSet<>(List.of((String[]) row.getArray(1).getArray())),
                                new TreeSet<>(List.of((String[]) row.getArray(2).getArray())),
                                row.getString(3),
                                row.getBoolean(4))
                        : null;
            }
        }
    }

    private static String members(List<Table> tables) {
        return tables.isEmpty()
                ? ""
                : tables.stream()
                        .map(table -> table.quoted()
                                + (table.wish().where() == null
                                        ? ""
                                        : " WHERE (" + table.wish().where() + "\n)"))
                        .collect(Collectors.joining(", ", " FOR TABLE ", ""));
    }

    private String options() {
        return "publish = '" + String.join(", ", plan.operationWords()) + "', publish_via_partition_root = true";
    }

    private void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException refused) {
            if ("42501".equals(refused.getSQLState())) {
                throw new CaptureException(
                        start() + "this role may not make the publication (" + refused.getMessage()
                                + "). It needs CREATE on the database and to own the tables; or let their owner run: "
                                + sql.strip()
                                + "; and name it as the capture's publication.",
                        refused);
            }
            throw refused;
        }
    }

    private String name() {
        return '"' + plan.publication().replace("\"", "\"\"") + '"';
    }

    private String start() {
        return "Capture '" + plan.name() + "': ";
    }
}
