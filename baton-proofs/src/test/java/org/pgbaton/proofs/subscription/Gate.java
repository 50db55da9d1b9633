package org.pgbaton.proofs.subscription;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.pgbaton.testkit.TestDatabase;

/** Makes transactions that wrote to a table wait at their COMMIT until the gate is opened. */
final class Gate implements AutoCloseable {
    private static final String WAITING = """
            SELECT pid FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event = 'advisory' AND query ILIKE 'COMMIT%'""";

    private final TestDatabase database;
    private final Connection connection;

    /** @param what such as {@code INSERT ON public.handled FOR EACH ROW WHEN (new.key = 'k')} */
    Gate(TestDatabase database, String what) throws SQLException {
        this.database = database;
        String[] parts = what.split(" FOR EACH ROW", 2);
        database.execute("""
                CREATE FUNCTION public.gate() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER gate AFTER %s DEFERRABLE INITIALLY DEFERRED
                  FOR EACH ROW %s EXECUTE FUNCTION public.gate()""".formatted(parts[0], parts.length > 1 ? parts[1] : ""));
        connection = database.connect();
        execute("SELECT pg_advisory_lock(4711)");
    }

    /** @return the process that waits to commit */
    int awaitCommit() throws SQLException {
        Eventually.isTrue(() -> !database.one(WAITING).equals("null"));
        return Integer.parseInt(database.one(WAITING));
    }

    void open() throws SQLException {
        execute("SELECT pg_advisory_unlock(4711)");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
