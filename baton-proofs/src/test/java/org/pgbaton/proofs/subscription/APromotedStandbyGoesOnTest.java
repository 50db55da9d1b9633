package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.embedded.PostgresServer;
import org.pgbaton.embedded.StopMode;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * The primary dies while subscriptions run, and a synchronous standby is promoted. The subscriptions go on there by
 * themselves, where they were.
 */
class APromotedStandbyGoesOnTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String NAME = "s";

    @Test
    void nothingIsLostOrDoneTwiceAndEpochsBeginANewEra(@TempDir Path folder) throws Exception {
        try (TestServer server = TestServer.start(Map.of());
                TestDatabase database = server.newDatabase();
                PostgresServer standby = server.postgres().replica(folder.resolve("standby"))) {
            database.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
            database.execute("SELECT pg_reload_conf()");
            Eventually.isTrue(() -> database.one("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
                    .equals("1"));
            Handled.createTable(database);
            String url = either(database, standby);
            try (Baton baton = Baton.builder(url)
                    .lease(Duration.ofSeconds(4))
                    .migrate(false)
                    .open()) {
                baton.subscription(NAME)
                        .on("events")
                        .project((message, connection) -> Handled.add(connection, NAME, List.of(message)))
                        .start();
                append(url, 500);
                // In the middle of the work.
                Eventually.isTrue(() -> Handled.count(database, NAME) > 50);
                server.postgres().stop(StopMode.IMMEDIATE);
                standby.promote();
                String promoted = standby.jdbcUrl(database.name());
                execute(promoted, "ALTER SYSTEM SET synchronous_standby_names = ''");
                execute(promoted, "SELECT pg_reload_conf()");
                append(promoted, 500);

                Eventually.isTrue(SOON, () -> one(promoted, """
                        SELECT count(*) FROM baton.events e
                         WHERE NOT EXISTS (SELECT FROM public.handled h WHERE h.position = e.position)""").equals("0"));
                assertThat(one(promoted, "SELECT count(*) FROM baton.events"))
                        .as("a synchronous standby has everything")
                        .isEqualTo("1000");
                assertThat(one(promoted, "SELECT count(*) FROM public.handled"))
                        .as("each once")
                        .isEqualTo("1000");
                assertThat(one(promoted, """
                        SELECT count(*) FROM (SELECT position < max(position) OVER (PARTITION BY key ORDER BY nr) AS late FROM public.handled) h
                         WHERE late""")).as("out of order").isEqualTo("0");
                Eventually.isTrue(
                        SOON,
                        () -> one(promoted, "SELECT min(epoch) >= 4294967296 FROM baton.checkpoint WHERE position > 0")
                                .equals("t"));
            }
        }
    }

    /** Whichever of the two is the primary. */
    private static String either(TestDatabase database, PostgresServer standby) {
        String port = ":" + database.server().postgres().port();
        return database.server()
                        .postgres()
                        .jdbcUrl(database.name())
                        .replace(port, port + ",127.0.0.1:" + standby.port())
                + "&targetServerType=primary";
    }

    private static void append(String url, int rows) throws SQLException {
        execute(
                url,
                "INSERT INTO baton.events (key, payload) SELECT 'key-' || n % 50, '{}' FROM generate_series(1, " + rows
                        + ") n");
    }

    private static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String one(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }
}
