package org.pgbaton.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgbaton.log.Draft;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What is called after a transaction has ended cannot send in it, though Spring still has its connection bound. */
@BatonTest
class AfterTheTransactionTest {
    private static final int HOW_MANY_WAYS = 4;

    /** An event of the application. */
    record Placed(String id) {}

    /** Sends in every phase: directly, in a part that joins, and in a transaction of its own. */
    static class Sender {
        private final Outbox outbox;
        private final EventLog events;
        private final TransactionTemplate joining;
        private final TransactionTemplate own;
        private final List<String> refused = new ArrayList<>();

        Sender(Outbox outbox, EventLog events, PlatformTransactionManager manager) {
            this.outbox = outbox;
            this.events = events;
            this.joining = new TransactionTemplate(manager);
            this.own = new TransactionTemplate(manager);
            own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        }

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        void before(Placed event) {
            send(event, "before");
            if (event.id().equals("vetoed")) {
                throw new IllegalStateException("vetoed");
            }
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
        void committed(Placed event) {
            tryAll(event, "committed");
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        void rolledBack(Placed event) {
            tryAll(event, "rolled-back");
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        void completed(Placed event) {
            tryAll(event, "completed");
        }

        private void tryAll(Placed event, String key) {
            attempt(() -> send(event, key));
            attempt(() -> joining.executeWithoutResult(status -> send(event, key + "-joining")));
            own.executeWithoutResult(status -> send(event, key + "-own"));
            attempt(() -> send(event, key + "-again")); // another one has ended in between
            attempt(() -> events.append(Draft.json("{}").key(key)));
            outbox.sendNow(Draft.json("{}").topic(event.id()).key(key + "-now"));
        }

        private void send(Placed event, String key) {
            outbox.send(Draft.json("{}").topic(event.id()).key(key));
        }

        private void attempt(Runnable sending) {
            try {
                sending.run();
            } catch (IllegalTransactionStateException theirs) {
                refused.add(String.valueOf(theirs.getMessage()));
            }
        }
    }

    @Configuration
    static class Shop {
        @Bean
        Sender sender(Outbox outbox, EventLog events, PlatformTransactionManager manager) {
            return new Sender(outbox, events, manager);
        }
    }

    /** Not one that Boot has made and customized. */
    @Configuration
    static class WithAManagerOfItsOwn {
        @Bean
        PlatformTransactionManager manager(DataSource source) {
            return new DataSourceTransactionManager(source);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "none, true, false", "none, false, false", "none, true, true", "none, false, true", "jpa, true, false", "jpa, false, false"
    })
    void nothingIsSentWhenItIsTooLate(String technology, boolean autoCommit, boolean ownManager, TestDatabase database)
            throws Exception {
        database.execute("CREATE TABLE orders (id text PRIMARY KEY)");
        try (ConfigurableApplicationContext context = Applications.start(
                database,
                technology,
                List.of("spring.datasource.hikari.auto-commit=" + autoCommit),
                ownManager ? new Class<?>[] {Shop.class, WithAManagerOfItsOwn.class} : new Class<?>[] {Shop.class})) {
            Sender sender = context.getBean(Sender.class);

            place(context, "committed", false);
            assertThat(sent(database, "committed"))
                    .isEqualTo("before callback-now callback-own committed-now committed-own completed-now completed-own");
            refused(sender, 3);

            place(context, "rolled-back", true);
            assertThat(sent(database, "rolled-back")).isEqualTo("completed-now completed-own rolled-back-now rolled-back-own");
            refused(sender, 2);

            assertThatThrownBy(() -> place(context, "vetoed", false)).hasMessage("vetoed");
            assertThat(sent(database, "vetoed")).isEqualTo("completed-now completed-own rolled-back-now rolled-back-own");
            refused(sender, 2);

            assertThat(database.one("SELECT string_agg(id, ' ') FROM orders")).isEqualTo("committed");
            assertThat(database.one("SELECT count(*) FROM baton.events")).isEqualTo("0");
        }
    }

    private static void place(ConfigurableApplicationContext context, String id, boolean rollback) {
        JdbcClient jdbc = context.getBean(JdbcClient.class);
        ApplicationEventPublisher publisher = context;
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            jdbc.sql("INSERT INTO orders VALUES (?)").param(id).update();
            Placed event = new Placed(id);
            publisher.publishEvent(event);
            // Spring calls listeners for AFTER_COMMIT after the completion only.
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    context.getBean(Sender.class).tryAll(event, "callback");
                }
            });
            if (rollback) {
                status.setRollbackOnly();
            }
        });
    }

    private static String sent(TestDatabase database, String id) throws Exception {
        return database.one("SELECT string_agg(key, ' ' ORDER BY key COLLATE \"C\") FROM baton.outbox WHERE topic = '" + id + "'");
    }

    /** After the completion, the end of a part that joined makes Spring forget that there was a transaction. */
    private static void refused(Sender sender, int listeners) {
        assertThat(sender.refused).hasSize(listeners * HOW_MANY_WAYS).allSatisfy(each -> assertThat(each)
                .containsAnyOf("the transaction of this thread has ended already", "no transaction is open")
                .contains("Now"));
        assertThat(sender.refused.get(0)).contains("has ended already").contains("or call sendNow");
        assertThat(sender.refused.get(1)).contains("has ended already");
        sender.refused.clear();
    }

    /** A savepoint is no end, and neither is the end of a transaction within. */
    @Test
    void theOuterTransactionGoesOnAfterAnInnerOne(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = Applications.start(database, List.of(), Shop.class)) {
            Outbox outbox = context.getBean(Outbox.class);
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
            new TransactionTemplate(manager).executeWithoutResult(status -> {
                for (int propagation : new int[] {
                    TransactionDefinition.PROPAGATION_NESTED,
                    TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                    TransactionDefinition.PROPAGATION_REQUIRED
                }) {
                    TransactionTemplate inner = new TransactionTemplate(manager);
                    inner.setPropagationBehavior(propagation);
                    inner.executeWithoutResult(
                            unused -> outbox.send(Draft.json("{}").topic("t")));
                    outbox.send(Draft.json("{}").topic("t"));
                }
            });
            assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("6");
        }
    }
}
