package org.pgbaton.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server of one's own: its life, its settings, its port. */
class PostgresServerTest {

    private static final Map<String, String> QUICK = Map.of("fsync", "off");

    /** One folder for all tests: the server is stopped, not deleted, in between. */
    @TempDir
    private static Path temporary;

    private PostgresServer server;

    @BeforeEach
    void build() {
        server = PostgresServer.in(temporary.resolve("server"))
                .settings(QUICK)
                .settings(Map.of("application_name", "it's a \\ test", "work_mem", "5MB"))
                .accessRule("host all refused 127.0.0.1/32 reject")
                .build();
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void startAndStopDoNothingTheSecondTimeAndTheServerKeepsItsPort() {
        assertThat(server.isRunning()).isFalse();
        server.stop(StopMode.FAST);
        server.start();
        server.start();
        int port = server.port();
        assertThat(server.isRunning()).isTrue();
        assertThat(server.pid()).isPresent();
        assertThat(Sql.query(server.jdbcUrl("postgres"), "SHOW server_version"))
                .startsWith(server.majorVersion() + ".");
        Sql.execute(server.jdbcUrl("postgres"), "CREATE DATABASE \"a b/c\"");
        Sql.execute(server.jdbcUrl("a b/c"), "CREATE TABLE kept (x int)");

        server.stop(StopMode.IMMEDIATE);
        server.stop(StopMode.IMMEDIATE);
        assertThat(server.isRunning()).isFalse();
        assertThat(server.pid()).isEmpty();
        assertThat(server.port()).isEqualTo(port);

        server.restart(Map.of("work_mem", "6MB"));
        assertThat(server.port()).isEqualTo(port);
        assertThat(Sql.query(server.jdbcUrl("a b/c"), "SELECT count(*) FROM kept"))
                .isEqualTo("0");
        assertThat(Sql.query(server.jdbcUrl("postgres"), "SHOW work_mem")).isEqualTo("6MB");
        assertThat(server.logFile()).content().contains("database system is ready");
    }

    @Test
    void settingsAndAccessRulesReachTheServer() {
        server.start();
        String url = server.jdbcUrl("postgres");
        assertThat(Sql.query(url, "SHOW work_mem")).isEqualTo("5MB");
        assertThat(Sql.query(url, "SELECT reset_val FROM pg_settings WHERE name = 'lc_messages'"))
                .isEqualTo("C");
        assertThat(Sql.query(url, "SELECT setting FROM pg_file_settings WHERE name = 'application_name'"))
                .isEqualTo("it's a \\ test");
        assertThat(Sql.query(url, "SELECT auth_method FROM pg_hba_file_rules ORDER BY line_number LIMIT 1"))
                .isEqualTo("reject");
        assertThat(Sql.query(url, "SELECT 'b' < 'ä' AND 'B' < 'a'")).isEqualTo("t");
    }

    @Test
    void anotherObjectTakesChargeOfARunningServer() {
        server.start();
        PostgresServer sameFolder =
                PostgresServer.in(temporary.resolve("server")).build();
        assertThat(sameFolder.isRunning()).isTrue();
        assertThat(sameFolder.start().port()).isEqualTo(server.port());
        sameFolder.close();
        assertThat(server.isRunning()).isFalse();
    }

    @Test
    void aServerThatDoesNotStartTellsWhatItsLogSays() {
        server = PostgresServer.in(temporary.resolve("server"))
                .settings(QUICK)
                .settings(Map.of("no_such_setting", "1"))
                .build();
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(server::start)
                .withMessageContaining("did not start")
                .withMessageContaining("unrecognized configuration parameter \"no_such_setting\"")
                .withMessageContaining(server.logFile().toString());
    }

    @Test
    void aPortThatIsInsistedOnMustBeFree() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, FreePort.loopback())) {
            server = PostgresServer.in(temporary.resolve("server"))
                    .settings(QUICK)
                    .port(other.getLocalPort())
                    .build();
            assertThatExceptionOfType(EmbeddedPostgresException.class)
                    .isThrownBy(server::start)
                    .withMessageContaining("Port " + other.getLocalPort())
                    .withMessageContaining("taken by another process");
        }
    }

    @Test
    void aPidFileThatNamesSomebodyElsesProcessIsRemoved() throws IOException {
        server.start();
        server.stop(StopMode.FAST);
        Path pidFile = server.dataDirectory().resolve("postmaster.pid");

        Files.writeString(pidFile, ProcessHandle.current().pid() + "\n" + server.dataDirectory() + "\n");
        assertThat(server.isRunning()).isFalse();
        server.start();
        assertThat(Sql.query(server.jdbcUrl("postgres"), "SELECT 1")).isEqualTo("1");
    }

    @Test
    void aPidFileThatNamesAnotherPostgresIsRemovedAndThatOneLeftAlone() throws IOException {
        server.start();
        server.stop(StopMode.FAST);
        try (PostgresServer other = PostgresServer.throwaway(Map.of())) {
            Files.copy(
                    other.dataDirectory().resolve("postmaster.pid"),
                    server.dataDirectory().resolve("postmaster.pid"),
                    StandardCopyOption.REPLACE_EXISTING);
            assertThat(server.isRunning()).isFalse();
            server.stop(StopMode.IMMEDIATE);
            server.start();
            assertThat(server.port()).isNotEqualTo(other.port());
            assertThat(Sql.query(other.jdbcUrl("postgres"), "SELECT 1")).isEqualTo("1");
            assertThat(Sql.query(server.jdbcUrl("postgres"), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aKilledServersSessionsAreWaitedFor() throws Exception {
        server.start();
        String url = server.jdbcUrl("postgres");
        CompletableFuture<Void> busy = CompletableFuture.runAsync(
                () -> Sql.execute(url, "/* busy */ SELECT count(*) FROM generate_series(1, 5000000)"));
        Eventually.await(
                "the session is busy",
                () -> !Sql.query(url, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '/* busy%'")
                        .equals("0"));
        ProcessHandle.of(server.pid().orElseThrow()).orElseThrow().destroyForcibly();
        Eventually.await("the server is dead", () -> !server.isRunning());

        server.start();

        assertThat(Sql.query(url, "SELECT 1")).isEqualTo("1");
        assertThat(busy).satisfies(session -> Eventually.await("the session has ended", session::isDone));
    }

    /** Processes of a server that was killed can have its port for a moment. */
    @Test
    void thePortOfAKilledServerIsWaitedFor() throws Exception {
        server.start();
        int port = server.port();
        server.stop(StopMode.IMMEDIATE);
        ServerSocket other = new ServerSocket(port, 1, FreePort.loopback());
        CompletableFuture<Void> left = CompletableFuture.runAsync(
                () -> close(other), CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS));

        server.start();

        left.join();
        assertThat(server.port()).isEqualTo(port);
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException unexpected) {
            throw new UncheckedIOException(unexpected);
        }
    }

    @Test
    void badValuesAreNamedBeforeAnythingHappens() {
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> PostgresServer.in(temporary).port(0))
                .withMessageContaining("Port 0 does not exist");
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> PostgresServer.throwaway(Map.of("port", "5432")))
                .withMessageContaining("port(int)");
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> PostgresServer.throwaway(Map.of("a b", "c")))
                .withMessageContaining("\"a b\" cannot be the name");
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> PostgresServer.throwaway(Map.of("work_mem", "1MB\nfsync=off")))
                .withMessageContaining("more than one line");
    }
}
