package org.pgbaton.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is on the same machine is not the superuser of everybody's server by that alone. */
class SharedPostgresPasswordTest {

    @TempDir
    private Path folder;

    @Test
    void whoeverDoesNotKnowThePasswordIsRefused() throws IOException {
        try (SharedPostgres server = SharedPostgres.open(folder)) {
            assertThat(Sql.query(server.jdbcUrl(), "SELECT current_user")).isEqualTo("postgres");

            assertRefused(withoutPassword(server), "password");
            assertRefused(withoutPassword(server) + "&password=guess", "password authentication failed");
            assertThat(Files.getPosixFilePermissions(server.passwordFile()))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            assertThat(Files.readString(server.passwordFile()))
                    .matches("127\\.0\\.0\\.1:\\*:\\*:postgres:[0-9a-f]{48}\n");
            assertThat(folder.toFile().list()).doesNotContain("password.new", "pgpass.new");
        }
    }

    @Test
    void thePasswordStaysTheSameAndIsNotInTheServersLog() throws IOException {
        String first;
        try (SharedPostgres server = SharedPostgres.open(folder)) {
            first = Files.readString(server.passwordFile());
        }
        try (SharedPostgres server = SharedPostgres.open(folder)) {
            assertThat(Files.readString(server.passwordFile())).isEqualTo(first);
            assertThat(Sql.query(server.jdbcUrl(), "SELECT 1")).isEqualTo("1");
            assertThat(Files.readString(server.logFile()))
                    .doesNotContain(first.strip().substring(first.lastIndexOf(':') + 1));
        }
    }

    @Test
    void aFolderWhoseServerTrustedEverybodyIsConvertedWhenItIsStartedNext() throws IOException {
        PostgresServer trusting = PostgresServer.in(folder).build().start();
        Sql.execute(trusting.jdbcUrl("postgres"), "CREATE TABLE kept AS SELECT 42 AS n");
        // As after a power failure: the conversion has to recover the data first.
        trusting.stop(StopMode.IMMEDIATE);

        try (SharedPostgres server = SharedPostgres.open(folder)) {
            assertThat(Sql.query(server.jdbcUrl(), "SELECT n FROM kept")).isEqualTo("42");
            assertRefused(withoutPassword(server), "password");
        }
    }

    @Test
    void aServerThatStillRunsAndTrustsEverybodyIsJoinedAsItIs() {
        try (PostgresServer trusting =
                        PostgresServer.in(folder).settings(Map.of()).build().start();
                SharedPostgres server = SharedPostgres.open(folder)) {
            assertThat(server.port()).isEqualTo(trusting.port());
            assertThat(Sql.query(server.jdbcUrl(), "SELECT 1")).isEqualTo("1");
        }
    }

    private static String withoutPassword(SharedPostgres server) {
        return "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=postgres";
    }

    private static void assertRefused(String url, String because) {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> DriverManager.getConnection(url).close())
                .withMessageContaining(because)
                .matches(refused -> List.of("08004", "28P01", "28000").contains(refused.getSQLState()));
    }
}
