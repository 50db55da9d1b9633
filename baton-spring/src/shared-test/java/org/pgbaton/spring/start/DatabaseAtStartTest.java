package org.pgbaton.spring.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.embedded.StopMode;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.EventLog;
import org.pgbaton.spring.Outbox;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.CannotCreateTransactionException;

/** What happens at start: a database that is not there, a role that may not migrate, a schema that does not fit. */
@BatonTest
class DatabaseAtStartTest {
    private static final String NOBODY = "jdbc:postgresql://127.0.0.1:1/shop?user=app";

    /** Counts what it gets. */
    static class Counter {
        private final CountDownLatch got = new CountDownLatch(1);

        @BatonListener(subscription = "counter")
        void on(Message message) {
            got.countDown();
        }
    }

    @Configuration
    static class WithCounter {
        @Bean
        Counter counter() {
            return new Counter();
        }
    }

    @Test
    void aDatabaseThatIsAwayFailsTheStartWithoutAStackTrace() {
        assertThatThrownBy(() -> Applications.start(
                        NOBODY, "none", List.of("spring.datasource.hikari.connection-timeout=300"), WithCounter.class))
                .hasStackTraceContaining("Connection to 127.0.0.1:1 refused");
    }

    @Test
    void anApplicationThatMayStartWithoutADatabaseDoesItsWorkWhenItIsThere() throws Exception {
        try (TestServer server = TestServer.start(Map.of());
                TestDatabase database = server.newDatabase()) {
            server.postgres().stop(StopMode.FAST);
            try (ConfigurableApplicationContext context = Applications.start(
                    database,
                    List.of(
                            "baton.start.require-database=false",
                            "spring.datasource.hikari.connection-timeout=300"),
                    WithCounter.class)) {
                assertThat(context.getBean(DatabaseAtStart.class).isReady()).isFalse();
                assertThatThrownBy(() -> context.getBean(Outbox.class)
                                .sendNow(Draft.json("{}").topic("t")))
                        .hasMessageContaining("The log 'outbox' is not known yet")
                        .hasMessageContaining("Cannot connect to the database");
                server.postgres().start();
                DatabaseAtStart start = context.getBean(DatabaseAtStart.class);
                CountDownLatch ready = new CountDownLatch(1);
                AtomicInteger tries = new AtomicInteger();
                start.whenReady(() -> {
                    if (tries.incrementAndGet() == 1) { // as Spring says that it is away again
                        throw new CannotCreateTransactionException("away", new SQLException("away", "57P01"));
                    }
                });
                start.whenReady(ready::countDown);
                assertThat(ready.await(60, TimeUnit.SECONDS)).isTrue();
                context.getBean(EventLog.class).appendNow(Draft.json("{}"));
                assertThat(context.getBean(Counter.class).got.await(60, TimeUnit.SECONDS))
                        .isTrue();
                await().atMost(Duration.ofSeconds(60)).until(() -> tries.get() == 2 && start.trouble() == null);
            }
        }
    }

    @Test
    void aRoleThatMayNotMigrateIsToldWhatToDo(TestDatabase database) throws Exception {
        database.execute("DROP SCHEMA baton CASCADE; DROP ROLE IF EXISTS app; CREATE ROLE app LOGIN");
        assertThatThrownBy(() -> Applications.start(
                        "jdbc:postgresql://" + database.urlFor("app").replaceFirst(".*@", "") + "?user=app",
                        "none",
                        List.of(),
                        WithCounter.class))
                .hasStackTraceContaining("permission denied");
        database.execute("DROP ROLE app");
    }

    @Test
    void aSchemaIsOnlyCheckedIfSoConfigured(TestDatabase database) throws Exception {
        database.execute("DROP SCHEMA baton CASCADE");
        assertThatThrownBy(() -> Applications.start(database, List.of("baton.migrate=false"), WithCounter.class))
                .hasStackTraceContaining("SchemaException");
        assertThat(database.one("SELECT to_regnamespace('baton')")).isEqualTo("null");
        Applications.start(database, List.of("baton.schema=other"), WithCounter.class)
                .close();
        assertThat(database.one("SELECT to_regnamespace('other')")).isEqualTo("other");
    }

    @Test
    void aBadPropertyFailsTheStart(TestDatabase database) {
        assertThatThrownBy(() -> Applications.start(database, List.of("baton.lease=1s"), WithCounter.class))
                .hasStackTraceContaining("baton.lease cannot be 1000 ms: give 2s to 1d (default 10s).");
    }

    @Test
    void whatRunsHasEndedBeforeThePoolCloses(TestDatabase database) throws Exception {
        ConfigurableApplicationContext context = Applications.start(database, List.of(), WithCounter.class);
        context.getBean(EventLog.class).appendNow(Draft.json("{}"));
        assertThat(context.getBean(Counter.class).got.await(60, TimeUnit.SECONDS))
                .isTrue();
        context.stop();
        assertThat(database.one("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database ="
                        + " (SELECT oid FROM pg_database WHERE datname = current_database()) AND objsubid = 2"))
                .isEqualTo("0");
        context.start(); // as after a checkpoint of the JVM
        context.getBean(EventLog.class).appendNow(Draft.json("{}"));
        database.drain("counter", Duration.ofSeconds(30));
        context.close();
    }

    @Test
    void itCanBeSwitchedOff(TestDatabase database) {
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of("baton.enabled=false"), WithCounter.class)) {
            assertThat(context.getBeanNamesForType(Outbox.class)).isEmpty();
        }
    }
}
