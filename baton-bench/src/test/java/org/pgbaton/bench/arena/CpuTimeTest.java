package org.pgbaton.bench.arena;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.pgbaton.embedded.PostgresServer;

/** Checks the measurement: what PostgreSQL does is counted, also by backends that have ended. */
class CpuTimeTest {
    private static final long SOME = 100_000_000;

    @Test
    void theWorkOfABackendCountsWhileItLivesAndWhenItHasEnded() throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/stat")), "there is no /proc here");
        try (PostgresServer server = PostgresServer.throwaway(Map.of())) {
            long postmaster = server.pid().orElseThrow();
            long before = CpuTime.ofServer(postmaster);
            try (Connection connection = DriverManager.getConnection(server.jdbcUrl("postgres"));
                    Statement statement = connection.createStatement()) {
                long end = System.nanoTime() + 60_000_000_000L;
                while (CpuTime.ofServer(postmaster) - before < 3 * SOME && System.nanoTime() < end) {
                    statement.execute("SELECT count(*) FROM generate_series(1, 200000)");
                }
                assertThat(CpuTime.ofServer(postmaster) - before).isGreaterThanOrEqualTo(3 * SOME);
            }
            // While it ends it may be neither among the children nor among those that have ended.
            long end = System.nanoTime() + 30_000_000_000L;
            while (backends(server) > 1 && System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            assertThat(CpuTime.ofServer(postmaster) - before).isGreaterThanOrEqualTo(2 * SOME);
        }
    }

    /** Including the one that asks. */
    private static long backends(PostgresServer server) throws Exception {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl("postgres"));
                Statement statement = connection.createStatement();
                var row = statement.executeQuery(
                        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")) {
            row.next();
            return row.getLong(1);
        }
    }
}
