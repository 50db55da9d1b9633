package org.pgbaton.capture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.pgbaton.database.SchemaName;
import org.pgbaton.session.TheirPath;

/**
 * A captured table as the database has it, found to be fit.
 *
 * @param quoted its full name, ready for SQL
 * @param key the columns that make the key
 * @param isPrimary whether that is the primary key, because nobody chose another
 * @param sent its columns as a publication sends them: in their order, without generated ones
 * @param identity the columns that an UPDATE or DELETE tells of the old row; with {@code FULL} all of them
 */
record Table(
        CapturedTable wish,
        long oid,
        String schema,
        String name,
        String quoted,
        List<String> key,
        boolean isPrimary,
        List<String> sent,
        List<String> identity) {

    String plain() {
        return schema + "." + name;
    }

    static List<Table> find(Connection connection, TheirPath path, SchemaName baton, Plan plan) throws SQLException {
        List<Table> found = new ArrayList<>();
        for (CapturedTable wish : plan.tables()) {
            try (PreparedStatement select = connection.prepareStatement(CaptureSql.TABLE)) {
                select.setString(1, inFull(connection, path, wish.name()));
                try (ResultSet row = select.executeQuery()) {
                    if (!row.next()) {
                        throw new CaptureException("Capture '" + plan.name() + "': there is no table " + wish.name()
                                + " (or this role may not see its schema). Create it first, or correct the name.");
                    }
                    found.add(fit(row, wish, baton, plan));
                }
            } catch (SQLException unreadable) {
                if ("42602".equals(unreadable.getSQLState()) || "42601".equals(unreadable.getSQLState())) {
                    throw new CaptureException(
                            "Capture '" + plan.name() + "': '" + wish.name()
                                    + "' cannot be the name of a table: write schema.table, with double quotes around a name that has "
                                    + "other characters than small letters, digits and underscores.",
                            unreadable);
                }
                throw unreadable;
            }
        }
        return found;
    }

    /** With its schema, which is found along the path of whoever gave the name; as it is, if there is no such table. */
    private static String inFull(Connection connection, TheirPath path, String name) throws SQLException {
        String[] full = {name};
        path.during(() -> {
            try (PreparedStatement select = connection.prepareStatement(CaptureSql.NAME)) {
                select.setString(1, name);
                try (ResultSet row = select.executeQuery()) {
                    if (row.next()) {
                        full[0] = row.getString(1);
                    }
                }
            }
        });
        return full[0];
    }

    private static Table fit(ResultSet row, CapturedTable wish, SchemaName baton, Plan plan) throws SQLException {
        String quoted = row.getString("quoted");
        List<String> columns = texts(row, "columns");
        List<String> primary = texts(row, "primary_key");
        String identified = row.getString("relreplident");
        List<String> identity = identified.equals("f") ? columns : texts(row, "identity");
        List<String> key = plan.keyOf(wish).isEmpty() ? primary : plan.keyOf(wish);
        Table table = new Table(
                wish,
                row.getLong("oid"),
                row.getString("nspname"),
                row.getString("relname"),
                quoted,
                key,
                plan.keyOf(wish).isEmpty(),
                texts(row, "sent"),
                identity);
        String start = "Capture '" + plan.name() + "': " + quoted + " ";
        if (table.schema.equals(baton.name())) {
            throw new CaptureException(
                    start + "is a table of Baton's own, and what it writes would be captured again.");
        }
        String kind = switch (row.getString("relkind")) {
            case "r", "p" -> "";
            case "v" -> "a view";
            case "m" -> "a materialised view";
            case "f" -> "a foreign table";
            default -> "no table";
        };
        if (!kind.isEmpty()) {
            throw new CaptureException(
                    start + "is " + kind + ", and the WAL has changes of tables only. Capture the table behind it.");
        }
        if (!row.getString("relpersistence").equals("p")) {
            throw new CaptureException(start + "is unlogged or temporary: its changes are not in the WAL. ALTER TABLE "
                    + quoted + " SET LOGGED.");
        }
        requireColumns(start, columns, wish.columns());
        requireColumns(start, columns, key);
        if (key.isEmpty()) {
            throw new CaptureException(start + "has no primary key: say which columns make the key.");
        }
        table.requireIdentity(start, identified, plan.operations());
        return table;
    }

    private static void requireColumns(String start, List<String> columns, List<String> wanted) {
        for (String column : wanted) {
            if (!columns.contains(column)) {
                throw new CaptureException(
                        start + "has no column '" + column + "': it has " + String.join(", ", columns) + ".");
            }
        }
    }

    /** In a publication with UPDATE or DELETE, a table without replica identity refuses them, to the application's surprise. */
    private void requireIdentity(String start, String identified, Set<Operation> operations) {
        boolean changes = operations.contains(Operation.UPDATE) || operations.contains(Operation.DELETE);
        if (changes && identity.isEmpty()) {
            throw new CaptureException(start
                    + (identified.equals("n")
                            ? "has REPLICA IDENTITY NOTHING"
                            : "has no primary key and no replica identity")
                    + ": published with update or delete, PostgreSQL would refuse the application's own UPDATE and DELETE. Give it a "
                    + "primary key, or ALTER TABLE " + quoted + " REPLICA IDENTITY FULL, or capture insert only.");
        }
        if (operations.contains(Operation.DELETE)) {
            for (String column : key) {
                if (!identity.contains(column)) {
                    throw new CaptureException(start + "does not tell the column '" + column
                            + "' of a deleted row, which is part of the key: ALTER TABLE " + quoted
                            + " REPLICA IDENTITY FULL, or choose the key among " + String.join(", ", identity)
                            + ", or do not capture delete.");
                }
            }
        }
    }

    static List<String> texts(ResultSet row, String column) throws SQLException {
        return List.of((String[]) row.getArray(column).getArray());
    }
}
