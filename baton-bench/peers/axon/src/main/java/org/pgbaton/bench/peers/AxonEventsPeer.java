package org.pgbaton.bench.peers;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.axonframework.common.transaction.NoTransactionManager;
import org.axonframework.eventhandling.EventHandler;
import org.axonframework.eventhandling.GenericDomainEventMessage;
import org.axonframework.eventhandling.SimpleEventHandlerInvoker;
import org.axonframework.eventhandling.TrackingEventProcessor;
import org.axonframework.eventhandling.TrackingEventProcessorConfiguration;
import org.axonframework.eventhandling.tokenstore.jdbc.JdbcTokenStore;
import org.axonframework.eventhandling.tokenstore.jdbc.PostgresTokenTableFactory;
import org.axonframework.eventsourcing.eventstore.EmbeddedEventStore;
import org.axonframework.eventsourcing.eventstore.jdbc.JdbcEventStorageEngine;
import org.axonframework.eventsourcing.eventstore.jdbc.JdbcSQLErrorCodesResolver;
import org.axonframework.eventsourcing.eventstore.jdbc.PostgresEventTableFactory;
import org.axonframework.serialization.json.JacksonSerializer;

/**
 * Writers that append to Axon's JDBC event store, and one tracking event processor that handles what they appended:
 * {@code <jdbcUrl> <user> <password> <batchSize>}. For each line {@code run<TAB>events<TAB>writers<TAB>seconds} on
 * stdin one line {@code OK<TAB>handled<TAB>nanos until appended<TAB>nanos until handled}, or {@code FAILED<TAB>why}. If
 * the first line has {@code backlog} instead of {@code run}, the processor starts when everything is appended, and its
 * first fifth does not count.
 */
public final class AxonEventsPeer {
    private static final int STREAMS_PER_WRITER = 100;
    private static final int STREAM_LENGTH = 100;

    /** An event, with about as many bytes of JSON as the other contestants write. */
    public record Happened(@JsonProperty("text") String text) {
        @JsonCreator
        public Happened {}
    }

    private final EmbeddedEventStore store;
    private final String text;
    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong lastHandled = new AtomicLong();
    private final TrackingEventProcessor processor;
    private volatile int counted = 1;
    private volatile long countedSince;
    private int runs;

    private AxonEventsPeer(HikariDataSource pool, int batchSize) {
        this.text = "x".repeat(Integer.getInteger("peer.payload", 180));
        JacksonSerializer json = JacksonSerializer.defaultSerializer();
        JdbcEventStorageEngine engine = JdbcEventStorageEngine.builder()
                .eventSerializer(json)
                .snapshotSerializer(json)
                // One statement, one transaction: autocommit saves Axon a round trip for each event.
                .connectionProvider(pool::getConnection)
                .transactionManager(NoTransactionManager.INSTANCE)
                .persistenceExceptionResolver(new JdbcSQLErrorCodesResolver())
                .build();
        engine.createSchema(PostgresEventTableFactory.INSTANCE);
        this.store = EmbeddedEventStore.builder().storageEngine(engine).build();

        ThreadTransactions transactions = new ThreadTransactions(pool);
        JdbcTokenStore tokens = JdbcTokenStore.builder()
                .connectionProvider(transactions)
                .serializer(json)
                .contentType(byte[].class)
                .build();
        tokens.createSchema(PostgresTokenTableFactory.INSTANCE);
        this.processor = TrackingEventProcessor.builder()
                .name("bench")
                .eventHandlerInvoker(SimpleEventHandlerInvoker.builder()
                        .eventHandlers(this)
                        .build())
                .messageSource(store)
                .tokenStore(tokens)
                .transactionManager(transactions)
                .trackingEventProcessorConfiguration(
                        TrackingEventProcessorConfiguration.forSingleThreadedProcessing().andBatchSize(batchSize))
                .build();
    }

    @EventHandler
    public void on(Happened event) {
        long now = System.nanoTime();
        lastHandled.set(now);
        if (handled.incrementAndGet() == counted) {
            countedSince = now;
        }
    }

    public static void main(String[] args) throws Exception {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(args[0]);
        pool.setUsername(args[1]);
        pool.setPassword(args[2]);
        pool.setMaximumPoolSize(24);
        pool.setMinimumIdle(24);
        AxonEventsPeer peer = new AxonEventsPeer(pool, Integer.parseInt(args[3]));
        say("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                String[] words = line.split("\t", -1);
                int events = Integer.parseInt(words[1]);
                int seconds = Integer.parseInt(words[3]);
                say("OK\t" + (words[0].equals("backlog")
                        ? peer.backlog(events, seconds)
                        : peer.run(events, Integer.parseInt(words[2]), seconds)));
            } catch (Exception failed) {
                say("FAILED\t" + failed);
            }
        }
        System.exit(0);
    }

    private String run(int events, int writers, int seconds) throws Exception {
        int run = ++runs;
        processor.start();
        long before = handled.get();
        CountDownLatch done = new CountDownLatch(writers);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        long begin = System.nanoTime();
        for (int writer = 0; writer < writers; writer++) {
            int mine = events / writers + (writer < events % writers ? 1 : 0);
            String prefix = run + "-" + writer + "-";
            Thread thread = new Thread(() -> {
                try {
                    for (int i = 0; i < mine; i++) {
                        store.publish(new GenericDomainEventMessage<>(
                                "Stream",
                                prefix + i % STREAMS_PER_WRITER,
                                i / STREAMS_PER_WRITER,
                                new Happened(text)));
                    }
                } catch (Throwable failed) {
                    failure.compareAndSet(null, failed);
                } finally {
                    done.countDown();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        boolean appended = done.await(seconds, TimeUnit.SECONDS);
        if (failure.get() != null) {
            throw new IllegalStateException("a writer failed: " + failure.get(), failure.get());
        }
        long appendedAt = System.nanoTime();
        long end = begin + seconds * 1_000_000_000L;
        while (handled.get() - before < events && System.nanoTime() < end) {
            Thread.sleep(1);
        }
        long all = handled.get() - before >= events ? lastHandled.get() : System.nanoTime();
        return (handled.get() - before) + "\t" + (appended ? appendedAt - begin : -1) + "\t" + (all - begin);
    }

    private String backlog(int events, int seconds) throws InterruptedException {
        counted = events / 5;
        long begin = System.nanoTime();
        for (int stream = 0; stream < events / STREAM_LENGTH; stream++) {
            List<GenericDomainEventMessage<Happened>> batch = new ArrayList<>();
            for (int i = 0; i < STREAM_LENGTH; i++) {
                batch.add(new GenericDomainEventMessage<>("Stream", "backlog-" + stream, i, new Happened(text)));
            }
            store.publish(batch);
        }
        long appended = System.nanoTime() - begin;
        processor.start();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (handled.get() < events && System.nanoTime() < end) {
            Thread.sleep(1);
        }
        if (handled.get() <= counted) {
            return handled.get() + "\t" + appended + "\t" + seconds * 1_000_000_000L;
        }
        return (handled.get() - counted) + "\t" + appended + "\t" + (lastHandled.get() - countedSince);
    }

    private static void say(String line) throws IOException {
        System.out.println(line);
        System.out.flush();
    }
}
