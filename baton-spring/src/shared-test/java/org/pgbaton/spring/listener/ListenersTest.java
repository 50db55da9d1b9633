package org.pgbaton.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.Baton;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.EventLog;
import org.pgbaton.spring.ListenerErrors;
import org.pgbaton.spring.jpa.JpaOrder;
import org.pgbaton.spring.jpa.JpaOrders;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.typed.UnknownType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Methods with {@code @BatonListener} are subscriptions, in the application's own transactions. */
@BatonTest
class ListenersTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    /** Events of an application. */
    record Deposited(int amount) {}

    /** Another one. */
    record Withdrawn(int amount) {}

    /** A projection with a method for each type, which writes with JdbcClient. */
    static class Balances {
        private final JdbcClient jdbc;

        Balances(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @BatonListener(subscription = "${balances.name}")
        void on(Deposited event, Message message) {
            add(message.key(), event.amount());
        }

        @SuppressWarnings("UnusedMethod") // Spring calls it
        @BatonListener(subscription = "${balances.name}")
        private void on(Message message, Withdrawn event, Map<String, String> headers) {
            add(message.key(), -event.amount() * Integer.parseInt(headers.getOrDefault("factor", "1")));
        }

        private void add(String account, int amount) {
            jdbc.sql("INSERT INTO balance VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET amount = balance.amount + excluded.amount")
                    .params(account, amount)
                    .update();
        }
    }

    /** All that a listener may take. */
    static class Everything {
        private final Queue<String> seen = new ConcurrentLinkedQueue<>();

        /** A method, because the bean has a proxy. */
        Queue<String> seen() {
            return seen;
        }

        @BatonListener(subscription = "reaction", reaction = true, types = "Deposited")
        void react(Message message, Delivery delivery) {
            seen.add("reaction " + message.key() + " " + delivery.attempt() + " "
                    + TransactionSynchronizationManager.isActualTransactionActive());
        }

        @BatonListener(subscription = "batch", order = org.pgbaton.subscription.MessageOrder.TOTAL)
        void batch(List<Message> messages, Connection connection) throws Exception {
            try (var statement = connection.createStatement()) {
                statement.execute("INSERT INTO batches VALUES (" + messages.size() + ")");
            }
        }

        @BatonListener(subscription = "payloads", types = "Deposited", reaction = true)
        void payloads(List<Deposited> events) {
            events.forEach(event -> seen.add("payload " + event.amount()));
        }

        @Transactional
        @BatonListener(subscription = "transactional", unknown = UnknownType.SKIP)
        public void transactional(Deposited event) {
            seen.add("transactional " + TransactionSynchronizationManager.isActualTransactionActive());
        }
    }

    @Configuration
    static class Bank {
        @Bean
        Balances balances(JdbcClient jdbc) {
            return new Balances(jdbc);
        }
    }

    @Configuration
    static class WithEverything {
        @Bean
        Everything everything() {
            return new Everything();
        }
    }

    @Test
    void aProjectionWritesInTheTransactionThatMovesItsCheckpoint(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE balance (account text PRIMARY KEY, amount int)");
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of("balances.name=balances"), Bank.class)) {
            EventLog events = context.getBean(EventLog.class);
            for (int i = 0; i < 50; i++) {
                events.appendNow("a" + i % 5, new Deposited(3));
                events.appendNow("a" + i % 5, new Withdrawn(1));
            }
            events.appendNow("a0", Draft.json("{\"amount\":1}").type("Withdrawn").headers(Map.of("factor", "10")));
            database.drain("balances", SOON);
            assertThat(database.one("SELECT string_agg(amount::text, ' ' ORDER BY account) FROM balance"))
                    .isEqualTo("10 20 20 20 20");
        }
        // A backend ends a moment after its connection was closed.
        await().atMost(SOON)
                .until(
                        () -> database.one("SELECT count(*) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND pid <> pg_backend_pid()"),
                        "0"::equals);
    }

    @Test
    void aListenerGetsWhatItsParametersAskFor(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE batches (size int)");
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of(), WithEverything.class)) {
            EventLog events = context.getBean(EventLog.class);
            events.appendNow("k", new Deposited(7));
            events.appendNow("k", new Withdrawn(7));
            for (String each : List.of("reaction", "batch", "payloads", "transactional")) {
                database.drain(each, SOON);
            }
            assertThat(context.getBean(Everything.class).seen())
                    .containsExactlyInAnyOrder("reaction k 1 false", "payload 7", "transactional true");
            assertThat(database.one("SELECT sum(size) FROM batches")).isEqualTo("2");
        }
    }

    /** Fails for some keys, in the ways in which it is told what that means. */
    static class Troubled {
        private final JdbcClient jdbc;

        Troubled(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @BatonListener(
                subscription = "troubled",
                attempts = 2,
                parkOn = IllegalArgumentException.class,
                retryOn = NumberFormatException.class)
        public void on(Message message) {
            jdbc.sql("INSERT INTO handled VALUES (?)").param(message.key()).update();
            switch (message.text()) {
                case "1" -> throw new IllegalArgumentException("parked by its attribute");
                case "2" -> throw new NumberFormatException("retried, since it is nearer");
                case "3" -> throw new UnsupportedOperationException("parked by the bean");
                default -> {}
            }
        }
    }

    @Configuration
    static class WithTrouble {
        @Bean
        Troubled troubled(JdbcClient jdbc) {
            return new Troubled(jdbc);
        }

        @Bean
        ListenerErrors errors() {
            return (subscription, failure) -> failure instanceof UnsupportedOperationException ? Verdict.PARK : null;
        }
    }

    @Test
    void exceptionsMeanWhatTheAnnotationOrTheBeanSays(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE handled (key text)");
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of(), WithTrouble.class)) {
            EventLog events = context.getBean(EventLog.class);
            events.appendNow(List.of(draft(0), draft(1), draft(2), draft(3), draft(4)));
            database.drainExceptParked("troubled", SOON);
            assertThat(database.one("SELECT string_agg(key || ':' || attempts, ' ' ORDER BY key) FROM baton.parked"))
                    .isEqualTo("k1:1 k2:2 k3:1");
            assertThat(database.one("SELECT string_agg(key, ' ' ORDER BY key) FROM handled"))
                    .isEqualTo("k0 k4");
        }
    }

    /** Fails halfway, in a part of the listener's transaction. */
    static class Inner {
        private final JdbcClient jdbc;

        Inner(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        public void halfway(String key) {
            jdbc.sql("INSERT INTO handled VALUES (?)").param(key).update();
            throw new IllegalStateException("halfway");
        }
    }

    /** Keeps failures of the inner part to itself; and fails, after it has registered a callback. */
    static class Swallowing {
        private final JdbcClient jdbc;
        private final Inner inner;
        private final boolean callbacks;
        private final Queue<String> committed = new ConcurrentLinkedQueue<>();

        Swallowing(JdbcClient jdbc, Inner inner, boolean callbacks) {
            this.jdbc = jdbc;
            this.inner = inner;
            this.callbacks = callbacks;
        }

        @BatonListener(subscription = "swallowing", attempts = 2, workers = 1)
        void on(Message message) {
            if (callbacks) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        committed.add(message.key());
                    }
                });
            }
            if (message.key().equals("k1")) {
                try {
                    inner.halfway(message.key());
                } catch (IllegalStateException swallowed) {
                    return;
                }
            }
            jdbc.sql("INSERT INTO handled VALUES (?)").param(message.key()).update();
            if (message.key().equals("k2") || message.key().equals("k3")) { // the first is set aside, the second undone
                throw new IllegalArgumentException("undone by a savepoint");
            }
        }
    }

    @Configuration
    static class WithSwallowing {
        @Bean
        Inner inner(JdbcClient jdbc) {
            return new Inner(jdbc);
        }

        @Bean
        Swallowing swallowing(JdbcClient jdbc, Inner inner, Environment environment) {
            return new Swallowing(jdbc, inner, environment.getRequiredProperty("callbacks", Boolean.class));
        }
    }

    /** Without callbacks one message is undone by a savepoint; with them the whole transaction is rolled back. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingCommitsOfAMessageThatFailedAndNoCallbackOfItIsCalled(boolean callbacks, TestDatabase database)
            throws Exception {
        database.execute("CREATE TABLE handled (key text)");
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of("callbacks=" + callbacks), WithSwallowing.class)) {
            context.getBean(EventLog.class)
                    .appendNow(List.of(draft(0), draft(1), draft(2), draft(3), draft(4)));
            database.drainExceptParked("swallowing", SOON);
            assertThat(database.one("SELECT string_agg(key || ':' || attempts, ' ' ORDER BY key) FROM baton.parked"))
                    .isEqualTo("k1:2 k2:2 k3:2");
            assertThat(database.one("SELECT string_agg(key, ' ' ORDER BY key) FROM handled"))
                    .isEqualTo("k0 k4");
            assertThat(context.getBean(Swallowing.class).committed)
                    .containsExactlyInAnyOrderElementsOf(callbacks ? List.of("k0", "k4") : List.of());
        }
    }

    private static Draft draft(int number) {
        return Draft.json(String.valueOf(number)).key("k" + number);
    }

    /** Saves an entity, which JPA writes when it likes. */
    static class JpaListener {
        private final JpaOrders orders;

        JpaListener(JpaOrders orders) {
            this.orders = orders;
        }

        @BatonListener(subscription = "jpa", attempts = 2, workers = 1)
        void on(Message message) {
            orders.save(new JpaOrder(message.key()));
            if (message.key().startsWith("bad")) {
                throw new IllegalStateException("after saving");
            }
        }
    }

    @Configuration
    static class WithJpaListener {
        @Bean
        JpaListener listener(JpaOrders orders) {
            return new JpaListener(orders);
        }
    }

    /** A failed message's entities stay in JPA's memory; written with the others, they would be applied without being handled. */
    @Test
    void whatJpaKeepsInMemoryOfAFailedMessageIsNotWrittenWithTheOthers(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE orders (id text PRIMARY KEY CHECK (id <> 'refused'))");
        try (ConfigurableApplicationContext context =
                Applications.start(database, "jpa", List.of(), WithJpaListener.class)) {
            try (Baton writer = database.baton()) {
                writer.log("events")
                        .append(java.util.stream.IntStream.range(0, 40)
                                .mapToObj(i -> Draft.json("{}")
                                        .key(i == 33 ? "refused" : i % 10 == 7 ? "bad" + i : "good" + i))
                                .toList());
            }
            database.drainExceptParked("jpa", SOON);
            assertThat(database.one("SELECT count(*) || ' ' || count(*) FILTER (WHERE id LIKE 'good%') FROM orders"))
                    .isEqualTo("35 35");
            assertThat(database.one("SELECT string_agg(key || ':' || attempts, ' ' ORDER BY key) FROM baton.parked"))
                    .isEqualTo("bad17:2 bad27:2 bad37:2 bad7:2 refused:2");
            assertThat(context.getBean(Baton.class).health().subscriptions()).hasSize(1);
        }
    }
}
