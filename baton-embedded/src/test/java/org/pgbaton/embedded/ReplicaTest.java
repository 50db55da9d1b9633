package org.pgbaton.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica streams from its primary and can take its place. */
class ReplicaTest {

    @TempDir
    private Path temporary;

    @Test
    void aReplicaStreamsAndCanBePromoted() {
        try (PostgresServer primary = PostgresServer.throwaway(Map.of())) {
            String primaryUrl = primary.jdbcUrl("postgres");
            Sql.execute(primaryUrl, "CREATE TABLE kept AS SELECT 1 AS x");
            assertThatExceptionOfType(EmbeddedPostgresException.class)
                    .isThrownBy(primary::promote)
                    .withMessageContaining("it has to be a replica, and running");

            try (PostgresServer replica = primary.replica(temporary.resolve("north"), Map.of("work_mem", "9MB"))) {
                String replicaUrl = replica.jdbcUrl("postgres");
                assertThat(primary.jdbcUrl("postgres")).isEqualTo(primaryUrl).isNotEqualTo(replicaUrl);
                assertThat(Sql.query(replicaUrl, "SELECT pg_is_in_recovery()")).isEqualTo("t");
                assertThat(Sql.query(replicaUrl, "SHOW work_mem")).isEqualTo("9MB");

                Eventually.await(
                        "it streams",
                        () -> Sql.query(
                                        primaryUrl,
                                        "SELECT count(*) FROM pg_stat_replication"
                                                + " WHERE application_name = 'north' AND state = 'streaming'")
                                .equals("1"));
                Sql.execute(primaryUrl, "ALTER SYSTEM SET synchronous_standby_names = 'north'");
                Sql.execute(primaryUrl, "SELECT pg_reload_conf()");
                Sql.execute(primaryUrl, "INSERT INTO kept VALUES (2)");
                Eventually.await(
                        "the insert arrives",
                        () -> Sql.query(replicaUrl, "SELECT count(*) FROM kept").equals("2"));

                primary.stop(StopMode.IMMEDIATE);
                replica.promote();

                Sql.execute(replicaUrl, "INSERT INTO kept VALUES (3)");
                replica.restart();
                assertThat(Sql.query(replicaUrl, "SELECT sum(x) FROM kept")).isEqualTo("6");
            }
            assertThat(temporary.resolve("north")).isEmptyDirectory();
        }
    }
}
