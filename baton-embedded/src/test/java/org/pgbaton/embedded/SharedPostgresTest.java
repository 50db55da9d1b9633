package org.pgbaton.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.embedded.machine.FileTree;

/** One server for all: between processes, between threads, across crashes. */
class SharedPostgresTest {

    private static final String KEEP = "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS answer";

    @TempDir
    private static Path temporary;

    /** The same for all tests that do not need a new one: making a database takes seconds. */
    private Path folder;

    @BeforeEach
    void chooseFolder() throws IOException {
        folder = temporary.toRealPath().resolve("shared");
    }

    @AfterEach
    void nothingStaysBehind() {
        if (Files.exists(folder)) {
            PostgresServer.in(folder).build().stop(StopMode.IMMEDIATE);
        }
    }

    @Test
    void theServerSurvivesTheKillOfWhoeverStartedItAndTheLastOneOutStopsIt() {
        try (OtherJvm starter = OtherJvm.start();
                OtherJvm second = OtherJvm.start()) {
            String url = starter.open(folder);
            assertThat(second.open(folder)).isEqualTo(url);
            Sql.execute(url, KEEP);

            starter.kill();

            assertThat(Sql.query(url, "SELECT answer FROM kept")).isEqualTo("42");
            second.leave();
            assertThat(isRunning()).isFalse();
        }
    }

    @Test
    void whoLeavesWhileOthersStayDoesNotStopTheServer() {
        try (OtherJvm starter = OtherJvm.start()) {
            String url = starter.open(folder);
            try (SharedPostgres here = SharedPostgres.open(folder)) {
                starter.leave();
                assertThat(here.jdbcUrl()).isEqualTo(url);
                assertThat(Sql.query(url, "SELECT 1")).isEqualTo("1");
            }
            assertThat(isRunning()).isFalse();
        }
    }

    @Test
    void aServerWhoseUsersWereAllKilledIsFoundAgainWithEverythingCommitted() {
        String url;
        try (OtherJvm only = OtherJvm.start()) {
            url = only.open(folder);
            Sql.execute(url, KEEP);
            only.kill();
        }
        assertThat(isRunning()).isTrue();
        try (SharedPostgres here = SharedPostgres.open(folder)) {
            assertThat(here.jdbcUrl()).isEqualTo(url);
            assertThat(Sql.query(here.jdbcUrl(), "SELECT answer FROM kept")).isEqualTo("42");
        }
        assertThat(isRunning()).isFalse();
    }

    @Test
    void anOrderlyEndOfTheJvmStopsTheServer() {
        try (OtherJvm only = OtherJvm.start()) {
            only.open(folder);
            only.terminate();
        }
        assertThat(isRunning()).isFalse();
    }

    @Test
    void eightProcessesThatOpenANewFolderWithAnEmptyCacheAtOnceGetOneServer() throws IOException {
        folder = temporary.toRealPath().resolve("for-eight");
        Map<String, String> emptyCache =
                Map.of("XDG_CACHE_HOME", temporary.resolve("cache-of-eight").toString());
        List<OtherJvm> all = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                all.add(OtherJvm.start(List.of(), emptyCache));
            }
            all.forEach(jvm -> jvm.order("open " + folder));
            List<String> urls = all.stream().map(OtherJvm::url).toList();

            assertThat(urls).hasSize(8).containsOnly(urls.get(0));
            assertThat(serverProcesses()).isEqualTo(1);

            all.subList(0, 4).forEach(OtherJvm::kill);
            all.subList(4, 8).forEach(jvm -> jvm.order("close"));
            all.subList(4, 8).forEach(jvm -> assertThat(jvm.answer()).isEqualTo("closed"));
            assertThat(serverProcesses()).isZero();
        } finally {
            all.forEach(OtherJvm::close);
        }
    }

    @Test
    void aProcessKilledWhileItMakesTheDatabaseDoesNoHarm() throws IOException {
        folder = temporary.toRealPath().resolve("for-a-killed-maker");
        try (OtherJvm impatient = OtherJvm.start()) {
            impatient.order("open " + folder);
            Eventually.await("initdb is at work", () -> unfinished() > 0);
            impatient.kill();
        }
        try (SharedPostgres here = SharedPostgres.open(folder)) {
            assertThat(Sql.query(here.jdbcUrl(), "SELECT 1")).isEqualTo("1");
            assertThat(unfinished()).isZero();
            assertThat(serverProcesses()).isEqualTo(1);
        }
    }

    @Test
    void aProcessKilledWhileItStartsTheServerDoesNoHarm() {
        SharedPostgres.open(folder).close();
        try (OtherJvm impatient = OtherJvm.start()) {
            impatient.order("open " + folder);
            Eventually.await("the server begins to start", () -> Files.exists(folder.resolve("data/postmaster.pid")));
            impatient.kill();
        }
        try (SharedPostgres here = SharedPostgres.open(folder)) {
            assertThat(Sql.query(here.jdbcUrl(), "SELECT 1")).isEqualTo("1");
            assertThat(serverProcesses()).isEqualTo(1);
        }
        assertThat(isRunning()).isFalse();
    }

    @Test
    void dataAndPortSurviveARestart() {
        String url;
        try (SharedPostgres first = SharedPostgres.open(folder)) {
            url = first.jdbcUrl();
            Sql.execute(url, KEEP);
        }
        try (SharedPostgres second = SharedPostgres.open(folder)) {
            assertThat(second.jdbcUrl()).isEqualTo(url);
            assertThat(Sql.query(url, "SELECT answer FROM kept")).isEqualTo("42");
        }
    }

    @Test
    void theSettingsAreDurable() {
        try (SharedPostgres shared = SharedPostgres.open(folder)) {
            assertThat(List.of("fsync", "synchronous_commit", "full_page_writes", "data_checksums"))
                    .allSatisfy(setting -> assertThat(Sql.query(shared.jdbcUrl(), "SHOW " + setting))
                            .as(setting)
                            .isEqualTo("on"));
            assertThat(Sql.query(shared.jdbcUrl(), "SHOW wal_level")).isEqualTo("logical");
            assertThat(Sql.query(shared.jdbcUrl(), "SHOW max_connections")).isEqualTo("200");
            assertThat(Sql.query(shared.jdbcUrl(), "SHOW max_prepared_transactions"))
                    .isEqualTo("20");
            assertThat(Sql.query(shared.jdbcUrl(), "SHOW listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(Sql.query(shared.jdbcUrl(), "SHOW server_encoding")).isEqualTo("UTF8");
        }
    }

    @Test
    void severalHandlesOfOneJvmShareTheServerAndClosingTwiceCountsOnce() {
        SharedPostgres first = SharedPostgres.open(folder);
        SharedPostgres second = SharedPostgres.openUntilClosed(folder.resolve("../shared"));
        assertThat(second.jdbcUrl()).isEqualTo(first.jdbcUrl());

        first.close();
        first.close();
        assertThat(Sql.query(second.jdbcUrl(), "SELECT 1")).isEqualTo("1");

        second.close();
        assertThat(isRunning()).isFalse();
    }

    @Test
    void threadsMayOpenAndCloseAsTheyLike() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                all.add(threads.submit(() -> {
                    try (SharedPostgres shared = SharedPostgres.open(folder)) {
                        assertThat(Sql.query(shared.jdbcUrl(), "SELECT 1")).isEqualTo("1");
                    }
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(isRunning()).isFalse();
    }

    @Test
    void anInterruptedThreadCanOpenAndCloseAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        SharedPostgres shared = SharedPostgres.open(folder);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(Sql.query(shared.jdbcUrl(), "SELECT 1")).isEqualTo("1");

        Thread.currentThread().interrupt();
        shared.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(isRunning()).isFalse();
    }

    @Test
    void aServerThatCrashedIsStartedByTheNextToComeOnTheSamePort() {
        try (SharedPostgres first = SharedPostgres.open(folder)) {
            Sql.execute(first.jdbcUrl(), KEEP);
            killServer();
            try (SharedPostgres second = SharedPostgres.open(folder)) {
                assertThat(second.port()).isEqualTo(first.port());
                assertThat(Sql.query(first.jdbcUrl(), "SELECT answer FROM kept"))
                        .isEqualTo("42");
            }
        }
    }

    @Test
    void ifItsPortIsTakenTheServerChoosesAnother() throws IOException {
        int port;
        try (SharedPostgres shared = SharedPostgres.open(folder)) {
            port = shared.port();
        }
        try (ServerSocket thief = new ServerSocket(port, 1, FreePort.loopback());
                SharedPostgres shared = SharedPostgres.open(folder)) {
            assertThat(shared.port()).isNotEqualTo(thief.getLocalPort());
            assertThat(Sql.query(shared.jdbcUrl(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aServerInAnotherContainerIsNotStartedASecondTime() throws IOException {
        try (OtherJvm other = OtherJvm.start()) {
            other.open(folder);
            // What a process in another container sees: users, but no server, and a name that is not its own.
            killServer();
            Files.writeString(folder.resolve("started-on"), "elsewhere");
            assertThatThrownBy(() -> SharedPostgres.open(folder))
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessageContaining("runs in another container")
                    .hasMessageContaining("--database-url");
        }
    }

    private boolean isRunning() {
        return PostmasterFile.read(folder.resolve("data"))
                .filter(PostmasterFile::isAlive)
                .isPresent();
    }

    /** Kills the server as the system does when memory runs out. */
    private void killServer() {
        PostgresServer server = PostgresServer.in(folder).build();
        ProcessHandle.of(server.pid().orElseThrow()).orElseThrow().destroyForcibly();
        Eventually.await("the server is dead", () -> !server.isRunning());
    }

    private long serverProcesses() {
        String option = folder.resolve("data").toString();
        return ProcessHandle.allProcesses()
                .filter(process -> List.of(process.info().arguments().orElse(new String[0]))
                        .contains(option))
                .count();
    }

    private long unfinished() {
        if (!Files.exists(folder)) {
            return 0;
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(entry -> FileTree.nameOf(entry).startsWith(ServerFolder.UNFINISHED))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
