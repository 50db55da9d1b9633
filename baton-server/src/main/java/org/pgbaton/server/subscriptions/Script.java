package org.pgbaton.server.subscriptions;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.server.command.UsageException;

/**
 * SQL from a file that runs in a transaction of the caller. It runs inside of EXECUTE, where PostgreSQL refuses a COMMIT or ROLLBACK that would
 * end that transaction.
 */
record Script(Path file, String sql) {
    void run(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute("DO " + quoted("BEGIN EXECUTE " + quoted(sql, "$baton_script$") + "; END", "$baton_do$"));
        } catch (SQLException failure) {
            Fault fault = Fault.of(failure);
            if (fault == Fault.OUTAGE || fault == Fault.CONFLICT) {
                throw DatabaseException.of("run " + file, failure);
            }
            String said = String.valueOf(failure.getMessage())
                    .lines()
                    .findFirst()
                    .orElse("")
                    .replaceFirst("^ERROR: ", "");
            throw new UsageException("The script " + file + " failed: " + said + ". Nothing was changed.");
        }
    }

    private static String quoted(String text, String quote) {
        String free = quote;
        while (text.contains(free)) {
            free = "$" + free.substring(1, free.length() - 1) + "_$";
        }
        return free + text + free;
    }
}
