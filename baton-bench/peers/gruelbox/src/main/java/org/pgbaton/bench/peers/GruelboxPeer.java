package org.pgbaton.bench.peers;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.gruelbox.transactionoutbox.TransactionOutboxEntry;
import com.zaxxer.hikari.HikariDataSource;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Transaction Outbox of gruelbox: each message is a call that is stored with the transaction. A thread of this process
 * makes the call right after the commit; {@code flush} makes it again if that failed or no process was running. Nothing
 * keeps the order. Until this peer is told to run, it only stores.
 */
public final class GruelboxPeer implements Runnable, BiConsumer<String, String> {
    /** The call that is stored. */
    public static class Sender {
        private final BiFunction<String, String, Future<?>> producer;

        /** For the proxy of the library. */
        protected Sender() {
            this((key, payload) -> null);
        }

        Sender(BiFunction<String, String, Future<?>> producer) {
            this.producer = producer;
        }

        public void send(String key, String payload) throws ExecutionException, InterruptedException {
            producer.apply(key, payload).get();
        }
    }

    /** Does nothing until it is opened. */
    private static final class Gate implements Submitter {
        private final Submitter behind;
        private volatile boolean open;

        Gate(Submitter behind) {
            this.behind = behind;
        }

        @Override
        public void submit(TransactionOutboxEntry entry, Consumer<TransactionOutboxEntry> localExecutor) {
            if (open) {
                behind.submit(entry, localExecutor);
            }
        }
    }

    private final TransactionManager transactions;
    private final TransactionOutbox outbox;
    private final Gate gate;

    public GruelboxPeer(Map<String, String> options, BiFunction<String, String, Future<?>> producer) {
        int threads = Integer.parseInt(options.get("threads"));
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(options.get("url"));
        pool.setMaximumPoolSize(threads + 10);
        this.transactions = TransactionManager.fromDataSource(pool);
        this.gate = new Gate(
                threads == 1
                        ? Submitter.withDefaultExecutor()
                        : Submitter.withExecutor(Executors.newFixedThreadPool(threads)));
        Sender sender = new Sender(producer);
        this.outbox = TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> sender))
                .submitter(gate)
                .build();
    }

    @Override
    public void accept(String key, String payload) {
        transactions.inTransaction(transaction -> {
            try {
                outbox.schedule(Sender.class).send(key, payload);
            } catch (ExecutionException | InterruptedException impossible) {
                throw new IllegalStateException(impossible);
            }
        });
    }

    @Override
    public void run() {
        gate.open = true;
        transactions.inTransaction(transaction -> {
            try (var statement = transaction.connection().createStatement()) {
                // Makes the backlog look as if it had waited for the two minutes after which it is tried again.
                statement.executeUpdate("UPDATE txno_outbox SET nextattempttime = now() - interval '1 second'");
            } catch (java.sql.SQLException failed) {
                throw new IllegalStateException(failed);
            }
        });
        Thread background = new Thread(
                () -> {
                    try {
                        while (true) {
                            if (!outbox.flush()) {
                                Thread.sleep(1000);
                            }
                        }
                    } catch (InterruptedException end) {
                        Thread.currentThread().interrupt();
                    }
                },
                "flush");
        background.setDaemon(true);
        background.start();
    }
}
