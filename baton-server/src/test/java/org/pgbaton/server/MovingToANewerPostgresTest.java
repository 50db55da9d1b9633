package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.log.Draft;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * The procedure of docs/backup-and-failover.md for a newer PostgreSQL, with {@code pg_dump}: nothing is lost, nothing is applied twice, epochs
 * grow, and the capture goes on. The programs that come with the tests have no {@code pg_upgrade}.
 */
@BatonTest
class MovingToANewerPostgresTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void everythingGoesOnWhereItWas(TestDatabase newer, @TempDir Path folder) throws Exception {
        assumeTrue(isThere("pg_dump") && isThere("psql"), "pg_dump or psql is missing (Debian: postgresql-client)");
        OlderPostgres older = OlderPostgres.start().orElse(null);
        assumeTrue(older != null, "this machine has only one version of PostgreSQL");
        long epoch;
        try (older) {
            epoch = workUntilNothingIsLeft(older.url());
            Path dump = folder.resolve("dump.sql");
            run("pg_dump", "--no-owner", "-d", uri(older.url()), "-f", dump.toString());
            newer.execute("DROP SCHEMA baton CASCADE");
            run("psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", uri(newer.url()), "-f", dump.toString());
        }

        Cli.Ended doctor = Cli.baton("doctor").on(newer.url()).run();
        assertThat(doctor.out()).contains("ok     positions: no sequence is behind its log");
        Cli.baton("captures", "drop", "alerts", "--reason", "a newer server", "--yes")
                .on(newer.url())
                .run()
                .succeeds();
        try (Baton baton = start(newer.url())) {
            append(baton, 5);
            newer.execute("INSERT INTO alert VALUES ('c')");
            await().atMost(PATIENCE)
                    .until(() -> newer.one("SELECT count(*) FROM seen").equals("25"));
            await().atMost(PATIENCE)
                    .until(() -> newer.one("SELECT count(*) FROM alarm").equals("3"));
            assertThat(newer.one("SELECT count(DISTINCT position) FROM seen")).isEqualTo("25");
            assertThat(Long.parseLong(newer.one("SELECT min(epoch) FROM baton.checkpoint WHERE owner IS NOT NULL")))
                    .isGreaterThan(epoch);
        }
    }

    /** @return the highest epoch */
    private static long workUntilNothingIsLeft(String url) throws Exception {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE alert (k text PRIMARY KEY); CREATE TABLE seen (position bigint);"
                    + " CREATE TABLE alarm (position bigint)");
            try (Baton baton = start(url)) {
                append(baton, 20);
                statement.execute("INSERT INTO alert VALUES ('a'), ('b')");
                await().atMost(PATIENCE).until(() -> number(statement, "SELECT count(*) FROM seen") == 20);
                await().atMost(PATIENCE).until(() -> number(statement, "SELECT count(*) FROM alarm") == 2);
            }
            return number(statement, "SELECT max(epoch) FROM baton.checkpoint");
        }
    }

    private static Baton start(String url) throws Exception {
        Baton baton = Baton.builder(url).who("worker").open();
        baton.capture("alerts").table("alert").start();
        baton.subscription("ledger")
                .on("events")
                .project((message, connection) -> note(connection, "seen", message.position()))
                .start();
        await().atMost(PATIENCE)
                .until(() ->
                        baton.logs().list().stream().anyMatch(log -> log.name().equals("alerts")));
        baton.subscription("alarms")
                .on("alerts")
                .project((message, connection) -> note(connection, "alarm", message.position()))
                .start();
        return baton;
    }

    private static void note(Connection connection, String table, long position) throws java.sql.SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO public." + table + " VALUES (?)")) {
            insert.setLong(1, position);
            insert.executeUpdate();
        }
    }

    private static void append(Baton baton, int rows) {
        for (int i = 0; i < rows; i++) {
            baton.log("events").append(Draft.json("{}").key("K" + i % 7));
        }
    }

    private static long number(Statement statement, String sql) throws java.sql.SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** As libpq writes it. */
    private static String uri(String jdbc) {
        return jdbc.replaceFirst("^jdbc:", "");
    }

    private static boolean isThere(String program) throws InterruptedException {
        try {
            return new ProcessBuilder(program, "--version").start().waitFor() == 0;
        } catch (java.io.IOException notThere) {
            return false;
        }
    }

    private static void run(String... command) throws Exception {
        Path said = Files.createTempFile("baton-command", ".txt");
        Process process = new ProcessBuilder(List.of(command))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(said, StandardCharsets.UTF_8))
                .isZero();
        Files.delete(said);
    }
}
