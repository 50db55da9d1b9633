package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/** Another program fills the cluster's notification queue. Writers of a log still commit, although a reader sleeps. */
class AFullQueueFailsNoAppendTest {
    @Test
    void evenWhileAReaderSleeps() throws Exception {
        try (TestDatabase any = TestServer.shared().newDatabase()) {
            assumeThat(any.one("SELECT count(*) FROM pg_settings WHERE name = 'max_notify_queue_pages'"))
                    .as("PostgreSQL 17 or later, where the queue can be made small")
                    .isEqualTo("1");
        }
        try (TestServer server = TestServer.start(Map.of("max_notify_queue_pages", "64"));
                TestDatabase database = server.newDatabase();
                Connection listener = database.connect();
                Connection sleeper = database.connect();
                Connection flood = database.connect();
                Connection writer = database.connect()) {
            run(listener, "LISTEN somebody_elses");
            listener.setAutoCommit(false);
            run(listener, "SELECT 1"); // reads nothing until this ends
            run(sleeper, "SELECT pg_advisory_lock('baton.outbox'::regclass::int4, -1)");
            fill(flood);
            assertThatThrownBy(() -> run(writer, "SELECT pg_notify('anything', repeat('x', 7000))"))
                    .as("the queue is full")
                    .isInstanceOf(SQLException.class);

            for (int i = 0; i < 3; i++) {
                run(writer, "INSERT INTO baton.outbox (topic, payload) VALUES ('t', '1')");
            }
            assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("3");
        }
    }

    private static void fill(Connection flood) {
        try {
            for (int i = 0; i < 10_000; i++) {
                run(flood, "SELECT pg_notify('somebody_elses', " + i + " || repeat('x', 7000))");
            }
        } catch (SQLException full) {
            return;
        }
        throw new AssertionError("the queue does not fill");
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
