package org.pgbaton.proofs.capture;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.pgbaton.testkit.TestDatabase;

/**
 * Makes transactions that insert a row behind a position of a log wait until it is closed, so that a test can kill a
 * process in the middle.
 */
final class Barrier implements AutoCloseable {
    private final TestDatabase database;
    private final Connection connection;

    Barrier(TestDatabase database, String log, long position) throws SQLException {
        this.database = database;
        this.connection = database.connect();
        execute("SELECT pg_advisory_lock(4712)");
        execute("""
                CREATE FUNCTION public.barrier() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN PERFORM pg_advisory_xact_lock_shared(4712); RETURN NULL; END $$""");
        execute("CREATE TRIGGER barrier AFTER INSERT ON baton." + log + " FOR EACH ROW WHEN (new.position > " + position
                + ") EXECUTE FUNCTION public.barrier()");
    }

    void awaitSomebody() {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !database.one(
                                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4712 AND NOT granted")
                        .equals("0"));
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
