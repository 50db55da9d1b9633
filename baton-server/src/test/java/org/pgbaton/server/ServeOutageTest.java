package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.embedded.PostgresServer;

/** A database that goes away makes {@code baton serve} not ready, and nothing worse; one that is late is waited for. */
class ServeOutageTest {
    @TempDir
    private Path folder;

    @Test
    void aDatabaseThatGoesAwayAndComesBackIsSeenInReadinessOnly() throws Exception {
        int port = Served.freePort();
        String url = "postgres://postgres@127.0.0.1:" + port + "/postgres";
        try (Receiver receiver = Receiver.start()) {
            Path file = Served.relayTo(receiver.url("/hook"), folder);
            try (Cli early = Cli.baton("serve", "-c", file.toString(), "--database-wait", "60s")
                    .on(url)
                    .start()) {
                early.awaitError("Waiting for the database: ");
                PostgresServer server = server(port);
                try {
                    early.awaitError("is running.");
                    early.signal("TERM");
                    assertThat(early.awaitEnd().code()).isZero();
                    try (Served served = Served.start(url, file)) {
                        send(server);
                        await().atMost(Cli.PATIENCE).until(() -> receiver.all().size() == 1);
                        assertThat(served.get("/readyz").statusCode()).isEqualTo(200);

                        server.close();
                        await().atMost(Cli.PATIENCE)
                                .until(() -> served.get("/readyz").statusCode() == 503);
                        assertThat(served.readiness().get("database").asString())
                                .isEqualTo("unreachable");
                        assertThat(served.get("/livez").statusCode()).isEqualTo(200);
                        assertThat(served.get("/metrics").statusCode()).isEqualTo(200);

                        server = server(port);
                        await().atMost(Cli.PATIENCE)
                                .until(() -> served.get("/readyz").statusCode() == 200);
                        send(server);
                        await().atMost(Cli.PATIENCE).until(() -> receiver.all().size() == 2);
                    }
                } finally {
                    server.close();
                }
            }
        }
    }

    private PostgresServer server(int port) throws Exception {
        return PostgresServer.in(folder.resolve("server")).port(port).build().start();
    }

    private static void send(PostgresServer server) throws Exception {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO baton.outbox (topic, key, payload) VALUES ('trades', 'P1', '{}')");
        }
    }

    @Test
    void aSignalEndsTheWaitForADatabase() throws Exception {
        Path file = Served.relayTo("http://127.0.0.1:1/hook", folder);
        try (Cli cli = Cli.baton("serve", "-c", file.toString(), "--database-wait", "1h")
                .on("postgres://127.0.0.1:1/db")
                .start()) {
            cli.awaitError("Waiting for the database: ");
            cli.signal("TERM");

            Cli.Ended ended = cli.awaitEnd();
            assertThat(ended.code()).isZero();
            assertThat(ended.err()).doesNotContain("Exception");
        }
    }
}
