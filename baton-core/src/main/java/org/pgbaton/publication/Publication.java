package org.pgbaton.publication;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.capture.CapturedTable;
import org.pgbaton.database.Fault;
import org.pgbaton.pgoutput.Operation;
import org.pgbaton.session.Sql;

/**
 * The publication of a capture: which tables and operations the server sends. Baton makes it, before the slot, and changes it when the plan has
 * changed. If somebody else made it, it only has to cover the plan. It is dropped only by an operator.
 */
public final class Publication {
    private static final int ROW_FILTERS_SINCE = 150_000;

    private final CapturePlan plan;
    private final Sql sql;

    public Publication(CapturePlan plan, Sql sql) {
        this.plan = plan;
        this.sql = sql;
    }

    private record Present(
            Set<String> operations,
            Set<String> tables,
            @Nullable String ownLog,
            boolean isRestricted) {}

    /**
     * Makes it, changes it, or finds that it fits. In the caller's transaction.
     *
     * @param isKnown whether the capture exists, so that Baton may have made the publication
     * @throws CaptureException if the publication cannot be made or does not fit
     */
    public void ensure(Connection connection, List<PublishedTable> tables, int serverVersion, boolean isKnown)
            throws SQLException {
        requireFilters(serverVersion);
        Present present = find(connection);
        if (plan.foreignPublication()) {
            requireCoverage(present, tables);
        } else if (present == null) {
            execute(connection, "CREATE PUBLICATION " + name() + members(tables) + " WITH (" + options() + ")");
            requireFilteredByIdentity(connection, tables);
        } else if (!isKnown) {
            throw new CaptureException(plan.heading() + "there is a publication '" + plan.publication()
                    + "' already, which this capture did not make. To use it, name it as the capture's publication; otherwise drop it, or give "
                    + "the capture another name.");
        } else if (!isAsPlanned(present, tables)) {
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
                    plan.heading() + "the publication '" + plan.publication() + "' contains " + made.ownLog
                            + ", a log of Baton's own, so that everything captured would be captured again. Name the tables one by one.");
        }
    }

    /** Filters and column lists cannot be compared: a publication with any is set again. */
    private boolean isAsPlanned(Present present, List<PublishedTable> tables) {
        return !present.isRestricted
                && present.tables.equals(
                        tables.stream().map(PublishedTable::quoted).collect(Collectors.toSet()))
                && present.operations.equals(Set.copyOf(plan.operationWords()))
                && tables.stream().allMatch(table -> table.request().where() == null);
    }

    private void requireFilters(int serverVersion) {
        for (CapturedTable table : plan.tables()) {
            if (table.where() != null && serverVersion < ROW_FILTERS_SINCE) {
                throw new CaptureException(
                        plan.heading() + "row filters need PostgreSQL 15 or later, and this server is "
                                + serverVersion / 10_000 + ". Leave the filter of " + table.name()
                                + " out, and filter where the log is read.");
            }
        }
    }

    private void requireCoverage(@Nullable Present present, List<PublishedTable> tables) {
        if (present == null) {
            throw new CaptureException(plan.heading() + "there is no publication '" + plan.publication()
                    + "'. Create it, or leave its name out and Baton makes one.");
        }
        for (PublishedTable table : tables) {
            if (!present.tables.contains(table.quoted())) {
                throw new CaptureException(plan.heading() + "the publication '" + plan.publication()
                        + "' does not contain " + table.quoted() + ". ALTER PUBLICATION " + name() + " ADD TABLE "
                        + table.quoted() + ".");
            }
        }
        for (String wanted : plan.operationWords()) {
            if (!present.operations.contains(wanted)) {
                throw new CaptureException(
                        plan.heading() + "the publication '" + plan.publication() + "' does not publish "
                                + wanted + ": ALTER PUBLICATION " + name() + " SET (publish = '"
                                + String.join(", ", plan.operationWords()) + "').");
            }
        }
    }

    /** Otherwise the application's own UPDATE and DELETE would fail. */
    private void requireFilteredByIdentity(Connection connection, List<PublishedTable> tables) throws SQLException {
        if (!plan.operations().contains(Operation.UPDATE) && !plan.operations().contains(Operation.DELETE)) {
            return;
        }
        for (PublishedTable table : tables) {
            if (table.request().where() == null) {
                continue;
            }
            for (String column : sql.all(
                    connection, PublicationSql.FILTERED_BY, row -> row.getString(1), plan.publication(), table.oid())) {
                if (!table.identity().contains(column)) {
                    throw new CaptureException(plan.heading() + "the row filter of " + table.quoted() + " looks at '"
                            + column
                            + "', which is not in its replica identity, so PostgreSQL would refuse the application's "
                            + "own UPDATE and DELETE. ALTER TABLE " + table.quoted()
                            + " REPLICA IDENTITY FULL, or capture insert only.");
                }
            }
        }
    }

    private @Nullable Present find(Connection connection) throws SQLException {
        return sql.first(
                connection,
                PublicationSql.PUBLICATION,
                row -> new Present(
                        new TreeSet<>(List.of((String[]) row.getArray(1).getArray())),
                        new TreeSet<>(List.of((String[]) row.getArray(2).getArray())),
                        row.getString(3),
                        row.getBoolean(4)),
                plan.publication());
    }

    private static String members(List<PublishedTable> tables) {
        return tables.isEmpty()
                ? ""
                : tables.stream()
                        .map(table -> table.quoted()
                                + (table.request().where() == null
                                        ? ""
                                        : " WHERE (" + table.request().where() + "\n)"))
                        .collect(Collectors.joining(", ", " FOR TABLE ", ""));
    }

    private String options() {
        return "publish = '" + String.join(", ", plan.operationWords()) + "', publish_via_partition_root = true";
    }

    private void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException refused) {
            if (Fault.of(refused) == Fault.NO_PRIVILEGE) {
                throw new CaptureException(
                        plan.heading() + "this role may not make the publication (" + refused.getMessage()
                                + "). It needs CREATE on the database and to own the tables; or let their owner run: "
                                + sql.strip()
                                + "; and name it as the capture's publication.",
                        refused);
            }
            throw refused;
        }
    }

    private String name() {
        return quoted(plan.publication());
    }

    /** Drops a publication, if it exists. In the caller's transaction. */
    public static void drop(Connection connection, String name) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP PUBLICATION IF EXISTS " + quoted(name));
        }
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
