package org.pgbaton.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers for tests vanish without a trace, and lose no commit while they are there. */
class ThrowawayServerTest {

    @Test
    void itIsGoneAfterClose() {
        PostgresServer server = PostgresServer.throwaway(Map.of("work_mem", "7MB"));
        Path folder = folderOf(server);
        assertThat(folder).isDirectory();
        assertThat(Sql.query(server.jdbcUrl("postgres"), "SHOW work_mem")).isEqualTo("7MB");
        assertThat(Sql.query(server.jdbcUrl("postgres"), "SHOW wal_level")).isEqualTo("logical");
        assertThat(Sql.query(server.jdbcUrl("postgres"), "SHOW max_prepared_transactions"))
                .isEqualTo("20");

        server.close();
        server.close();

        assertThat(folder).doesNotExist();
        assertThat(server.isRunning()).isFalse();
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(server::start)
                .withMessageContaining("was closed and deleted");
    }

    @Test
    void aCommitSurvivesACrash() {
        try (PostgresServer server = PostgresServer.throwaway(Map.of())) {
            Sql.execute(server.jdbcUrl("postgres"), "CREATE TABLE kept AS SELECT 42 AS answer");
            server.stop(StopMode.IMMEDIATE);
            server.start();
            assertThat(Sql.query(server.jdbcUrl("postgres"), "SELECT answer FROM kept"))
                    .isEqualTo("42");
        }
    }

    @Test
    void theEndOfTheJvmRemovesItAndTheNextJvmRemovesWhatAKilledOneLeft(@TempDir Path temporary) {
        List<String> ownTemporary = List.of("-Djava.io.tmpdir=" + temporary);
        try (OtherJvm killed = OtherJvm.start(ownTemporary, Map.of());
                OtherJvm next = OtherJvm.start(ownTemporary, Map.of())) {
            killed.order("throwaway");
            Path leftBehind = Path.of(killed.url());
            killed.kill();
            assertThat(PostmasterFile.read(leftBehind)).get().matches(PostmasterFile::isAlive);

            next.order("throwaway");
            Path data = Path.of(next.url());
            assertThat(leftBehind).doesNotExist();
            assertThat(Files.exists(data)).isTrue();

            next.terminate();
            assertThat(data).doesNotExist();
            assertThat(temporary).isEmptyDirectory();
        }
    }

    private static Path folderOf(PostgresServer server) {
        return Objects.requireNonNull(server.dataDirectory().getParent());
    }
}
