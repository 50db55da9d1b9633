package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.embedded.EmbeddedPostgresException;
import org.pgbaton.embedded.PostgresServer;

/** PostgreSQL's disk is full: nothing can be written, or the server goes down. When there is room again, everything goes on where it was. */
class AFullDiskTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String NAME = "s";

    @Test
    @Timeout(180)
    void nothingIsLostOrDoneTwice(@TempDir Path folder) throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=180m,mode=0755", "none", disk.toString()),
                "this machine does not let the test mount a small disk (needs root)");
        try (PostgresServer server = PostgresServer.in(disk.resolve("server"))
                .settings(Map.of("fsync", "off", "max_wal_size", "32MB", "min_wal_size", "32MB"))
                .build()
                .start()) {
            String url = server.jdbcUrl("postgres");
            try (Baton baton = Baton.builder(url).lease(Duration.ofSeconds(4)).open()) {
                execute(url, Handled.TABLE);
                baton.subscription(NAME)
                        .on("events")
                        .project((message, connection) -> Handled.add(connection, NAME, List.of(message)))
                        .start();
                int committed = appendUntilRefused(url, 20);
                assertThat(committed).isEqualTo(20);
                Path ballast = disk.resolve("ballast");
                fill(ballast);
                committed += appendUntilRefused(url, 100_000);

                Files.delete(ballast);
                startAgain(server);
                committed += appendUntilRefused(url, 20);
                int written = committed * ROWS;
                Eventually.isTrue(SOON, () -> one(url, """
                        SELECT count(*) FROM baton.events e
                         WHERE NOT EXISTS (SELECT FROM public.handled h WHERE h.position = e.position)""").equals("0"));
                // A commit whose answer was lost may have succeeded, too.
                assertThat(Integer.parseInt(one(url, "SELECT count(*) FROM baton.events")))
                        .isBetween(written, written + ROWS);
                assertThat(one(url, "SELECT count(*) - (SELECT count(*) FROM baton.events) FROM public.handled"))
                        .as("each once")
                        .isEqualTo("0");
            }
        } finally {
            run("umount", "-l", disk.toString());
        }
    }

    private static final int ROWS = 50;

    /** @return how many transactions were committed */
    private static int appendUntilRefused(String url, int atMost) {
        int committed = 0;
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (; committed < atMost; committed++) {
                statement.execute(
                        "INSERT INTO baton.events (key, payload) SELECT 'key-' || n, json_build_object('text', "
                                + "repeat(md5(n::text), 20)) FROM generate_series(1, " + ROWS + ") n");
            }
        } catch (SQLException full) {
            assertThat(full.getMessage()).doesNotContain("syntax");
        }
        return committed;
    }

    private static void fill(Path ballast) throws IOException {
        byte[] block = new byte[1 << 16];
        try (OutputStream out = Files.newOutputStream(ballast)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("space");
        }
    }

    /** The server may have gone down, or may be about to. */
    private static void startAgain(PostgresServer server) {
        Eventually.isTrue(SOON, () -> {
            try {
                if (!server.isRunning()) {
                    server.start();
                }
                return one(server.jdbcUrl("postgres"), "SELECT pg_is_in_recovery()")
                        .equals("f");
            } catch (EmbeddedPostgresException notYet) {
                return false;
            }
        });
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

    private static boolean run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }
}
