package org.pgbaton.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.EventLog;
import org.pgbaton.spring.Outbox;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestContextManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A test with {@code @BatonSpringTest} has a database of its own, sees what it sent, and can wait for listeners. */
@BatonSpringTest(classes = BatonSpringTestTest.Shop.class)
class BatonSpringTestTest {
    /** What tests append. */
    record Ordered(String what) {}

    /** An event makes a message, and a message makes a row. */
    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Shop {
        @Autowired
        Outbox outbox;

        @Autowired
        JdbcClient jdbc;

        @BatonListener(subscription = "tell")
        void tell(Ordered event, Message message) {
            outbox.send("orders", message.key(), event);
        }

        @BatonListener(log = "outbox", subscription = "rows", attempts = 1)
        void write(Ordered order) {
            jdbc.sql("INSERT INTO told VALUES (?)").param(order.what()).update();
        }
    }

    @DynamicPropertySource
    static void withJdbcAlone(DynamicPropertyRegistry registry) {
        registry.add("spring.autoconfigure.exclude", () -> Applications.excluded("none"));
    }

    @Autowired
    EventLog events;

    @Autowired
    Outbox outbox;

    @Autowired
    SentMessages sent;

    @Autowired
    PlatformTransactionManager transactions;

    @BeforeEach
    void table() throws Exception {
        sent.database().execute("CREATE TABLE IF NOT EXISTS told (what text CHECK (what <> 'bad'))");
    }

    @Test
    void onlyWhatThisTestSentIsListed() throws Exception {
        outbox.sendNow("invoices", "ann", new Ordered("ink"));
        outbox.sendNow("orders", "ann", new Ordered("paper"));

        assertThat(sent.list()).extracting(Message::text).containsExactly("{\"what\":\"ink\"}", "{\"what\":\"paper\"}");
        assertThat(sent.list("orders")).extracting(Message::text).containsExactly("{\"what\":\"paper\"}");
        assertThat(sent.events()).isEmpty();
        sent.drain();
    }

    @Test
    void drainWaitsForAllListenersAlsoForWhatTheySend() throws Exception {
        for (int i = 0; i < 50; i++) {
            events.appendNow("key-" + i % 5, new Ordered("drained"));
        }
        sent.drain();

        assertThat(sent.events()).hasSize(50);
        assertThat(sent.list()).hasSize(50);
        assertThat(sent.database().one("SELECT count(*) FROM told WHERE what = 'drained'"))
                .isEqualTo("50");
    }

    @Test
    void whatIsNotCommittedCannotBeAskedFor() {
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            outbox.send("orders", "ann", new Ordered("undone"));
            assertThatThrownBy(sent::list)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a transaction is open");
            status.setRollbackOnly();
        });
        assertThat(sent.list()).isEmpty();
    }

    /** Shares the application of the class around it. */
    @Nested
    class InANestedClass {
        @Test
        void theDatabaseIsThatOfTheOuterClass() throws Exception {
            assertThat(sent.list()).isEmpty();
            outbox.sendNow(Draft.json("{\"what\":\"nested\"}").topic("orders").key("ann").type("Ordered"));
            assertThat(sent.list()).hasSize(1);
            sent.drain();
        }
    }

    /** A test class as others would write it; run by the tests below. */
    @BatonSpringTest(classes = Shop.class)
    static class Another {
        @DynamicPropertySource
        static void withJdbcAlone(DynamicPropertyRegistry registry) {
            BatonSpringTestTest.withJdbcAlone(registry);
        }
    }

    @Test
    void anotherClassHasAnotherDatabaseWhichEndsWithIt() throws Exception {
        TestContextManager manager = new TestContextManager(Another.class);
        manager.beforeTestClass();
        SentMessages its = manager.getTestContext().getApplicationContext().getBean(SentMessages.class);
        assertThat(its.database().name()).isNotEqualTo(sent.database().name());

        its.database().execute("CREATE TABLE told (what text CHECK (what <> 'bad'))");
        manager.getTestContext().getApplicationContext().getBean(Outbox.class).sendNow("orders", "bob", new Ordered("bad"));
        assertThatThrownBy(its::drain)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("'rows' has set key 'bob' aside")
                .hasMessageContaining("told_what_check");

        manager.afterTestClass();
        assertThat(sent.database().one("SELECT count(*) FROM pg_database WHERE datname = ?", its.database().name()))
                .isEqualTo("0");
    }

    /** Ends with the server. */
    private static final TestDatabase ELSEWHERE = TestServer.shared().newDatabase();

    /** Has a data source of its own. */
    static class ConnectsElsewhere {
        @Bean
        PGSimpleDataSource elsewhere() {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(ELSEWHERE.url());
            return source;
        }
    }

    /** An application that does not use the test's database. */
    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(ConnectsElsewhere.class)
    static class ShopElsewhere {}

    /** A test class with a mistake. */
    @BatonSpringTest(classes = ShopElsewhere.class)
    static class Elsewhere {
        @DynamicPropertySource
        static void withJdbcAlone(DynamicPropertyRegistry registry) {
            BatonSpringTestTest.withJdbcAlone(registry);
        }
    }

    @Test
    void anApplicationThatConnectsElsewhereIsAMistake() throws Exception {
        TestContextManager manager = new TestContextManager(Elsewhere.class);
        assertThatThrownBy(() -> manager.prepareTestInstance(new Elsewhere()))
                .hasMessageContaining(
                        "The application connects to the database '" + ELSEWHERE.name() + "', not to the test's own");
        manager.afterTestClass();
    }
}
