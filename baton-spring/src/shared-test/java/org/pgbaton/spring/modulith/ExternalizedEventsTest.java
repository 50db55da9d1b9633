package org.pgbaton.spring.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.spring.Applications;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

/** Events that Spring Modulith externalizes are messages of the outbox, if and only if the publisher's transaction commits. */
@BatonTest
class ExternalizedEventsTest {
    /** With target and key. */
    @Externalized("orders::#{id()}")
    record OrderPlaced(String id, int total) {}

    /** Without a key, and with an expression as its target. */
    @Externalized("#{'shop.' + region()}")
    public record StockChanged(String region) {}

    /** With Modulith's own name of the target. */
    @Externalized
    public record Unrouted(int number) {}

    /** Stays inside. */
    public record Internal(String id) {}

    @Configuration
    static class Transactions {
        @Bean
        TransactionTemplate transactions(PlatformTransactionManager manager) {
            return new TransactionTemplate(manager);
        }
    }

    private static final String MESSAGES =
            "SELECT coalesce(string_agg(topic || '|' || CASE WHEN key = id::text THEN '-' ELSE key END || '|' || type || '|'"
                    + " || payload, ' ' ORDER BY position), 'none') FROM baton.outbox";

    @Test
    void aCommittedEventHasOneMessageAndARolledBackOneHasNone(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = Applications.start(database, List.of(), Transactions.class)) {
            TransactionTemplate transactions = context.getBean(TransactionTemplate.class);
            transactions.executeWithoutResult(status -> {
                context.publishEvent(new OrderPlaced("o-1", 7));
                status.setRollbackOnly();
            });
            assertThat(database.one(MESSAGES)).isEqualTo("none");

            transactions.executeWithoutResult(status -> {
                context.publishEvent(new OrderPlaced("o-1", 7));
                context.publishEvent(new Internal("o-1"));
            });
            // The message is there when the transaction is over, and nobody else has sent one later.
            assertThat(database.one(MESSAGES)).isEqualTo("orders|o-1|OrderPlaced|{\"id\":\"o-1\",\"total\":7}");
        }
        assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("1");
    }

    @Test
    void targetAndKeyAreThoseOfModulithsRouting(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = Applications.start(database, List.of(), Transactions.class)) {
            context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
                context.publishEvent(new StockChanged("north"));
                context.publishEvent(new Unrouted(1));
            });
            assertThat(database.one(MESSAGES))
                    .isEqualTo("shop.north|-|StockChanged|{\"region\":\"north\"}"
                            + " modulith.ExternalizedEventsTest$Unrouted|-|Unrouted|{\"number\":1}");
        }
    }

    @Configuration
    static class OwnRouting {
        public record Mapped(String order) {}

        @Bean
        EventExternalizationConfiguration externalization() {
            return EventExternalizationConfiguration.externalizing()
                    .select(event -> event instanceof OrderPlaced || event instanceof Internal)
                    .mapping(OrderPlaced.class, event -> new Mapped(event.id()))
                    .mapping(Internal.class, event -> Draft.json("{\"own\":1}")
                            .type("Own")
                            .topic("own-topic")
                            .key("own-key"))
                    .headers(Mapped.class, mapped -> Map.of("priority", 3))
                    .routeAll(event ->
                            RoutingTarget.forTarget("mapped").andKey("#{order()}"))
                    .build();
        }
    }

    @Test
    void aConfigurationOfTheApplicationSelectsMapsAndRoutes(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of(), Transactions.class, OwnRouting.class)) {
            context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
                context.publishEvent(new OrderPlaced("o-2", 7));
                context.publishEvent(new Unrouted(1));
                context.publishEvent(new Internal("o-2"));
            });
            assertThat(database.one(MESSAGES))
                    .isEqualTo("mapped|o-2|Mapped|{\"order\":\"o-2\"} own-topic|own-key|Own|{\"own\":1}");
            assertThat(database.one("SELECT headers FROM baton.outbox WHERE key = 'o-2'")).contains("\"priority\"", "\"3\"");
        }
    }

    @Test
    void anEventOutsideATransactionIsRefusedAndNotLost(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = Applications.start(database, List.of(), Transactions.class)) {
            assertThatThrownBy(() -> context.publishEvent(new OrderPlaced("o-3", 7)))
                    .isInstanceOf(IllegalTransactionStateException.class)
                    .hasMessageContaining("no transaction is open");
            assertThat(database.one(MESSAGES)).isEqualTo("none");
        }
    }

    @Configuration
    static class AsynchronousEvents {
        @Bean
        SimpleApplicationEventMulticaster applicationEventMulticaster() {
            SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
            multicaster.setTaskExecutor(Executors.newSingleThreadExecutor(task -> {
                Thread thread = new Thread(task, "other-thread");
                thread.setDaemon(true);
                return thread;
            }));
            return multicaster;
        }
    }

    @Test
    void itJoinsTheTransactionEvenIfEventsAreMulticastOnOtherThreads(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of(), Transactions.class, AsynchronousEvents.class)) {
            context.getBean(TransactionTemplate.class)
                    .executeWithoutResult(status -> context.publishEvent(new OrderPlaced("o-4", 7)));
            assertThat(database.one("SELECT string_agg(key, ' ') FROM baton.outbox"))
                    .isEqualTo("o-4");
        }
    }

    @Configuration
    static class SwallowedFailures {
        @Bean
        SimpleApplicationEventMulticaster applicationEventMulticaster() {
            SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
            multicaster.setErrorHandler(failed -> {});
            return multicaster;
        }

        @Bean
        EventExternalizationConfiguration externalization() {
            return EventExternalizationConfiguration.externalizing()
                    .select(event -> event instanceof OrderPlaced)
                    .mapping(OrderPlaced.class, event -> {
                        throw new IllegalStateException("cannot be mapped");
                    })
                    .build();
        }
    }

    @Test
    void aFailureThatIsSwallowedStillRollsBackTheTransaction(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE placed (id text)");
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of(), Transactions.class, SwallowedFailures.class)) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            TransactionTemplate transactions = context.getBean(TransactionTemplate.class);
            assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                        jdbc.update("INSERT INTO placed VALUES ('o-6')");
                        context.publishEvent(new OrderPlaced("o-6", 7));
                    }))
                    .isInstanceOf(UnexpectedRollbackException.class);
            assertThat(database.one("SELECT count(*) FROM placed")).isEqualTo("0");
            transactions.executeWithoutResult(status -> jdbc.update("INSERT INTO placed VALUES ('o-7')"));
            assertThat(database.one("SELECT string_agg(id, ' ') FROM placed")).isEqualTo("o-7");
        }
    }

    @Test
    void itCanBeSwitchedOff(TestDatabase database) throws Exception {
        for (String property : List.of("baton.modulith.enabled=false", "spring.modulith.events.externalization.enabled=false")) {
            try (ConfigurableApplicationContext context =
                    Applications.start(database, List.of(property), Transactions.class)) {
                context.getBean(TransactionTemplate.class)
                        .executeWithoutResult(status -> context.publishEvent(new OrderPlaced("o-5", 7)));
            }
        }
        assertThat(database.one(MESSAGES)).isEqualTo("none");
    }
}
