package org.pgbaton.publication;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.capture.CapturedTable;
import org.pgbaton.database.SchemaName;
import org.pgbaton.pgoutput.Operation;
import org.pgbaton.session.Sql;
import org.pgbaton.session.TheirPath;

/** Finds the tables of a capture in the database, and refuses those that cannot be captured. Immutable. */
public final class PublishedTables {
    private final CapturePlan plan;
    private final SchemaName baton;
    private final Sql sql;

    public PublishedTables(CapturePlan plan, SchemaName baton) {
        this.plan = plan;
        this.baton = baton;
        this.sql = new Sql(baton);
    }

    /**
     * @param path the user's search_path, along which names without a schema are found
     * @throws CaptureException if a table does not exist or cannot be captured
     */
    public List<PublishedTable> find(Connection connection, TheirPath path) throws SQLException {
        List<PublishedTable> found = new ArrayList<>();
        for (CapturedTable request : plan.tables()) {
            try {
                found.add(find(connection, path, request));
            } catch (SQLException unreadable) {
                if ("42602".equals(unreadable.getSQLState()) || "42601".equals(unreadable.getSQLState())) {
                    throw new CaptureException(
                            plan.heading() + "'" + request.name()
                                    + "' cannot be the name of a table: write schema.table, with double quotes around a name that has "
                                    + "other characters than small letters, digits and underscores.",
                            unreadable);
                }
                throw unreadable;
            }
        }
        return found;
    }

    private PublishedTable find(Connection connection, TheirPath path, CapturedTable request) throws SQLException {
        PublishedTable table = sql.first(
                connection,
                PublicationSql.TABLE,
                row -> check(row, request),
                fullName(connection, path, request.name()));
        if (table == null) {
            throw new CaptureException(plan.heading() + "there is no table " + request.name()
                    + " (or this role may not see its schema). Create it first, or correct the name.");
        }
        return table;
    }

    /** With the schema, which is found along the user's search_path; unchanged if there is no such table. */
    private String fullName(Connection connection, TheirPath path, String name) throws SQLException {
        String[] full = {name};
        path.during(() -> {
            String found = sql.first(connection, PublicationSql.FULL_NAME, row -> row.getString(1), name);
            full[0] = found == null ? name : found;
        });
        return full[0];
    }

    private PublishedTable check(ResultSet row, CapturedTable request) throws SQLException {
        PublishedTable table = read(row, request);
        String heading = plan.heading() + table.quoted() + " ";
        if (table.schema().equals(baton.name())) {
            throw new CaptureException(
                    heading + "is a table of Baton's own, and what it writes would be captured again.");
        }
        requireTable(heading, row.getString("relkind"));
        if (!row.getString("relpersistence").equals("p")) {
            throw new CaptureException(heading
                    + "is unlogged or temporary: its changes are not in the WAL. ALTER TABLE " + table.quoted()
                    + " SET LOGGED.");
        }
        List<String> columns = Sql.strings(row, "columns");
        requireColumns(heading, columns, request.columns());
        requireColumns(heading, columns, table.key());
        if (table.key().isEmpty()) {
            throw new CaptureException(heading + "has no primary key: say which columns make the key.");
        }
        requireIdentity(heading, table, row.getString("relreplident"));
        return table;
    }

    private PublishedTable read(ResultSet row, CapturedTable request) throws SQLException {
        boolean isKeyPrimary = plan.keyOf(request).isEmpty();
        return new PublishedTable(
                request,
                row.getLong("oid"),
                row.getString("nspname"),
                row.getString("relname"),
                row.getString("quoted"),
                isKeyPrimary ? Sql.strings(row, "primary_key") : plan.keyOf(request),
                isKeyPrimary,
                Sql.strings(row, "sent"),
                Sql.strings(row, row.getString("relreplident").equals("f") ? "columns" : "identity"));
    }

    private static void requireTable(String heading, String relkind) {
        String kind = switch (relkind) {
            case "r", "p" -> "";
            case "v" -> "a view";
            case "m" -> "a materialised view";
            case "f" -> "a foreign table";
            default -> "no table";
        };
        if (!kind.isEmpty()) {
            throw new CaptureException(
                    heading + "is " + kind + ", and the WAL has changes of tables only. Capture the table behind it.");
        }
    }

    private static void requireColumns(String heading, List<String> columns, List<String> wanted) {
        for (String column : wanted) {
            if (!columns.contains(column)) {
                throw new CaptureException(
                        heading + "has no column '" + column + "': it has " + String.join(", ", columns) + ".");
            }
        }
    }

    /** If a publication has UPDATE or DELETE, PostgreSQL refuses these on a table without replica identity: the application would fail. */
    private void requireIdentity(String heading, PublishedTable table, String identified) {
        boolean changes = plan.operations().contains(Operation.UPDATE)
                || plan.operations().contains(Operation.DELETE);
        if (changes && table.identity().isEmpty()) {
            throw new CaptureException(heading
                    + (identified.equals("n")
                            ? "has REPLICA IDENTITY NOTHING"
                            : "has no primary key and no replica identity")
                    + ": published with update or delete, PostgreSQL would refuse the application's own UPDATE and DELETE. Give it a "
                    + "primary key, or ALTER TABLE " + table.quoted()
                    + " REPLICA IDENTITY FULL, or capture insert only.");
        }
        if (!plan.operations().contains(Operation.DELETE)) {
            return;
        }
        for (String column : table.key()) {
            if (!table.identity().contains(column)) {
                throw new CaptureException(heading + "does not tell the column '" + column
                        + "' of a deleted row, which is part of the key: ALTER TABLE " + table.quoted()
                        + " REPLICA IDENTITY FULL, or choose the key among " + String.join(", ", table.identity())
                        + ", or do not capture delete.");
            }
        }
    }
}
