package org.pgbaton.spring.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.embedded.PostgresServer;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.PgBouncer;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** A start that fails ends with Boot's report, which says what is wrong and what to do, and shows no stack trace. */
@BatonTest
@ExtendWith(OutputCaptureExtension.class)
class FailureReportsTest {
    /** Has dedicated connections. */
    static class Listener {
        @BatonListener(subscription = "listener")
        void on(Message message) {}
    }

    /** Asks for a log that is not there. */
    static class ListenerOfUnknownLog {
        @BatonListener(log = "nowhere", subscription = "listener")
        void on(Message message) {}
    }

    private static void report(
            CapturedOutput output, String url, List<String> properties, Class<?> source, String wrong, String action) {
        assertThatThrownBy(() -> Applications.start(url, "none", properties, source).close())
                .isInstanceOf(Exception.class);
        String text = output.getAll();
        assertThat(text).contains("APPLICATION FAILED TO START").contains("Description:");
        String report = text.substring(text.lastIndexOf("APPLICATION FAILED TO START"));
        assertThat(report).doesNotContain("\tat ");
        String[] parts = report.split("Action:", 2);
        assertThat(parts).hasSize(2);
        assertThat(parts[0]).contains(wrong);
        assertThat(parts[1]).contains(action);
    }

    @Test
    void noRightToMigrate(TestDatabase database, CapturedOutput output) throws Exception {
        database.execute("DROP SCHEMA baton CASCADE; CREATE ROLE nobody_special LOGIN");
        try {
            report(
                    output,
                    database.url().replace("user=postgres", "user=nobody_special"),
                    List.of(),
                    Listener.class,
                    "permission denied for database",
                    "Let a role that may create schemas run 'baton migrate', and set baton.migrate=false.");
        } finally {
            database.execute("DROP ROLE nobody_special");
        }
    }

    @Test
    void aPoolerThatSwapsConnections(TestDatabase database, @TempDir Path folder, CapturedOutput output)
            throws Exception {
        assumeTrue(PgBouncer.isInstalled(), "no PgBouncer here (apt-get install pgbouncer)");
        try (PgBouncer pooler = PgBouncer.start(database, "transaction", folder, PgBouncer.FOR_JDBC)) {
            report(
                    output,
                    pooler.jdbcUrl(),
                    List.of("spring.datasource.hikari.maximum-pool-size=2"),
                    Listener.class,
                    "pooler in transaction mode",
                    "set baton.datasource.url to the address of PostgreSQL itself");
        }
    }

    @Test
    void aPoolerThatRefusesAParameter(TestDatabase database, @TempDir Path folder, CapturedOutput output)
            throws Exception {
        assumeTrue(PgBouncer.isInstalled(), "no PgBouncer here (apt-get install pgbouncer)");
        try (PgBouncer pooler = PgBouncer.start(database, "transaction", folder)) {
            report(
                    output,
                    pooler.jdbcUrl() + "&options=-c%20statement_timeout=0",
                    List.of("spring.datasource.hikari.connection-timeout=1000"),
                    Listener.class,
                    "refuses the parameter",
                    "set baton.datasource.url to the address of PostgreSQL itself");
        }
    }

    @Test
    void aReplica(@TempDir Path folder, CapturedOutput output) throws Exception {
        try (TestServer server = TestServer.start(Map.of());
                TestDatabase database = server.newDatabase();
                PostgresServer replica = server.postgres().replica(folder.resolve("replica"))) {
            report(
                    output,
                    replica.jdbcUrl(database.name()),
                    List.of(),
                    Listener.class,
                    "cannot execute INSERT in a read-only transaction",
                    "The server is a replica, or read-only: connect to the primary");
        }
    }

    @Test
    void aSchemaThatIsTooNew(TestDatabase database, CapturedOutput output) throws Exception {
        database.execute("UPDATE baton.migration SET compatible_from = 999999"
                + " WHERE number = (SELECT max(number) FROM baton.migration)");
        report(
                output,
                database.url(),
                List.of(),
                Listener.class,
                "which works with programs from step 999999 on",
                "use the version of Baton that migrated it, or a newer one");
    }

    @Test
    void aSchemaThatIsMissing(TestDatabase database, CapturedOutput output) throws Exception {
        database.execute("DROP SCHEMA baton CASCADE");
        report(
                output,
                database.url(),
                List.of("baton.migrate=false"),
                Listener.class,
                "The schema 'baton'",
                "let baton.migrate be true, or run 'baton migrate'");
    }

    @Test
    void anUnknownLog(TestDatabase database, CapturedOutput output) {
        String action = "Correct the name (baton.outbox, baton.events, baton.relays.*.log, @BatonListener(log = …))";
        report(
                output,
                database.url(),
                List.of("baton.outbox=nowhere"),
                Listener.class,
                "There is no log 'nowhere'",
                action);
        report(output, database.url(), List.of(), ListenerOfUnknownLog.class, "There is no log 'nowhere'", action);
    }

    @Test
    void anAddressOfAnotherDatabase(TestDatabase database, TestDatabase other, CapturedOutput output) {
        report(
                output,
                database.url(),
                List.of("baton.datasource.url=" + other.url()),
                Listener.class,
                "lead to another database than the DataSource",
                "Set baton.datasource.url, straight to PostgreSQL");
    }

    @Configuration
    static class TwoDataSources {
        @Bean
        DataSource one(Environment environment) {
            return source(environment);
        }

        @Bean
        DataSource two(Environment environment) {
            return source(environment);
        }
    }

    @Configuration
    static class RoutingWithoutDefault {
        @Bean
        DataSource routing(Environment environment) {
            AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
                @Override
                protected @Nullable Object determineCurrentLookupKey() {
                    return "one";
                }
            };
            routing.setTargetDataSources(Map.of("one", source(environment), "two", source(environment)));
            return routing;
        }
    }

    private static DataSource source(Environment environment) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(environment.getRequiredProperty("spring.datasource.url"));
        return source;
    }

    @Test
    void severalDatabases(TestDatabase database, CapturedOutput output) {
        String action = "Mark the DataSource bean that Baton should use with @BatonDataSource";
        report(output, database.url(), List.of(), TwoDataSources.class, "has 2 DataSource beans", action);
        report(output, database.url(), List.of(), RoutingWithoutDefault.class, "routes to several databases", action);
    }
}
