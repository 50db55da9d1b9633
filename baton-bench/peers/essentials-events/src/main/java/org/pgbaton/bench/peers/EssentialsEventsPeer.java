package org.pgbaton.bench.peers;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.zaxxer.hikari.HikariDataSource;
import dk.cloudcreate.essentials.components.distributed.fencedlock.postgresql.PostgresqlFencedLockManager;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.PostgresqlEventStore;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.bus.EventStoreEventBus;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.eventstream.AggregateType;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.eventstream.IdentifierColumnType;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.eventstream.JSONColumnType;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.gap.PostgresqlEventStreamGapHandler;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.observability.EventStoreSubscriptionObserver;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.persistence.PersistableEvent;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.persistence.table_per_aggregate_type.SeparateTablePerAggregateEventStreamConfiguration;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.persistence.table_per_aggregate_type.SeparateTablePerAggregateTypeEventStreamConfigurationFactory;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.persistence.table_per_aggregate_type.SeparateTablePerAggregateTypePersistenceStrategy;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.serializer.AggregateIdSerializer;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.serializer.json.JacksonJSONEventSerializer;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.subscription.EventStoreSubscriptionManager;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.subscription.PostgresqlDurableSubscriptionRepository;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.transaction.EventStoreManagedUnitOfWorkFactory;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.types.EventOrder;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.types.EventTypeOrName;
import dk.cloudcreate.essentials.components.eventsourced.eventstore.postgresql.types.GlobalEventOrder;
import dk.cloudcreate.essentials.components.foundation.types.SubscriberId;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.postgres.PostgresPlugin;

/**
 * Writers that append to Essentials' event store, and one asynchronous subscription that handles what they appended:
 * {@code <jdbcUrl> <user> <password> <batchSize> <pollingMillis>}. For each line
 * {@code run<TAB>events<TAB>writers<TAB>seconds} on stdin one line
 * {@code OK<TAB>handled<TAB>nanos until appended<TAB>nanos until handled}, or {@code FAILED<TAB>why}. If the first line
 * has {@code backlog} instead of {@code run}, the subscription starts when everything is appended, and its first fifth
 * does not count.
 */
public final class EssentialsEventsPeer {
    private static final int STREAMS_PER_WRITER = 100;
    private static final int STREAM_LENGTH = 100;
    private static final AggregateType STREAMS = AggregateType.of("Streams");

    /** An event, with about as many bytes of JSON as the other contestants write. */
    public static final class Happened {
        private String text;

        public Happened() {}

        Happened(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private final EventStoreManagedUnitOfWorkFactory unitOfWorkFactory;
    private final PostgresqlEventStore<SeparateTablePerAggregateEventStreamConfiguration> store;
    private final String text;
    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong lastHandled = new AtomicLong();
    private final EventStoreSubscriptionManager subscriptions;
    private volatile int counted = 1;
    private volatile long countedSince;
    private boolean subscribed;
    private int runs;

    /** Wired as its Spring Boot starter does it, with that starter's defaults except for what the arguments say. */
    private EssentialsEventsPeer(HikariDataSource pool, int batchSize, Duration polling) {
        this.text = "x".repeat(Integer.getInteger("peer.payload", 180));
        Jdbi jdbi = Jdbi.create(pool).installPlugin(new PostgresPlugin());
        this.unitOfWorkFactory = new EventStoreManagedUnitOfWorkFactory(jdbi);
        var persistence = new SeparateTablePerAggregateTypePersistenceStrategy(
                jdbi,
                unitOfWorkFactory,
                (aggregateId, configuration, event, eventOrder) -> PersistableEvent.builder()
                        .setEvent(event)
                        .setAggregateType(configuration.aggregateType)
                        .setAggregateId(aggregateId)
                        .setEventTypeOrName(EventTypeOrName.with(event.getClass()))
                        .setEventOrder(eventOrder)
                        .build(),
                SeparateTablePerAggregateTypeEventStreamConfigurationFactory.standardSingleTenantConfiguration(
                        new JacksonJSONEventSerializer(mapper()), IdentifierColumnType.TEXT, JSONColumnType.JSONB));
        this.store = new PostgresqlEventStore<>(
                unitOfWorkFactory,
                persistence,
                Optional.of(new EventStoreEventBus(unitOfWorkFactory)),
                eventStore -> new PostgresqlEventStreamGapHandler<>(eventStore, unitOfWorkFactory),
                new EventStoreSubscriptionObserver.NoOpEventStoreSubscriptionObserver());
        store.addAggregateEventStreamConfiguration(STREAMS, AggregateIdSerializer.serializerFor(String.class));
        var locks = PostgresqlFencedLockManager.builder()
                .setJdbi(jdbi)
                .setUnitOfWorkFactory(unitOfWorkFactory)
                .setLockTimeOut(Duration.ofSeconds(15))
                .setLockConfirmationInterval(Duration.ofSeconds(4))
                .buildAndStart();
        this.subscriptions = EventStoreSubscriptionManager.builder()
                .setEventStore(store)
                .setFencedLockManager(locks)
                .setDurableSubscriptionRepository(new PostgresqlDurableSubscriptionRepository(jdbi, store))
                .setEventStorePollingBatchSize(batchSize)
                .setEventStorePollingInterval(polling)
                .setSnapshotResumePointsEvery(Duration.ofSeconds(10))
                .build();
        subscriptions.start();
    }

    private void subscribe() {
        if (subscribed) {
            return;
        }
        subscribed = true;
        subscriptions.subscribeToAggregateEventsAsynchronously(
                SubscriberId.of("bench"), STREAMS, GlobalEventOrder.FIRST_GLOBAL_EVENT_ORDER, event -> {
                    // A handler needs the event itself, not only its JSON.
                    event.event().deserialize();
                    long now = System.nanoTime();
                    lastHandled.set(now);
                    if (handled.incrementAndGet() == counted) {
                        countedSince = now;
                    }
                });
    }

    /** As the starter configures it. */
    private static ObjectMapper mapper() {
        ObjectMapper mapper = JsonMapper.builder()
                .disable(MapperFeature.AUTO_DETECT_GETTERS)
                .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
                .disable(MapperFeature.AUTO_DETECT_SETTERS)
                .disable(MapperFeature.DEFAULT_VIEW_INCLUSION)
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                .enable(MapperFeature.AUTO_DETECT_CREATORS)
                .enable(MapperFeature.AUTO_DETECT_FIELDS)
                .enable(MapperFeature.PROPAGATE_TRANSIENT_MARKER)
                .addModule(new Jdk8Module())
                .addModule(new JavaTimeModule())
                .build();
        mapper.setVisibility(mapper.getSerializationConfig()
                .getDefaultVisibilityChecker()
                .withGetterVisibility(JsonAutoDetect.Visibility.NONE)
                .withSetterVisibility(JsonAutoDetect.Visibility.NONE)
                .withFieldVisibility(JsonAutoDetect.Visibility.ANY)
                .withCreatorVisibility(JsonAutoDetect.Visibility.ANY));
        return mapper;
    }

    public static void main(String[] args) throws Exception {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(args[0]);
        pool.setUsername(args[1]);
        pool.setPassword(args[2]);
        pool.setMaximumPoolSize(24);
        pool.setMinimumIdle(24);
        EssentialsEventsPeer peer = new EssentialsEventsPeer(
                pool, Integer.parseInt(args[3]), Duration.ofMillis(Integer.parseInt(args[4])));
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
        subscribe();
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
                        String stream = prefix + i % STREAMS_PER_WRITER;
                        // The version is known, which saves Essentials a query for each event.
                        EventOrder last = i < STREAMS_PER_WRITER
                                ? EventOrder.NO_EVENTS_PREVIOUSLY_PERSISTED
                                : EventOrder.of(i / STREAMS_PER_WRITER - 1);
                        unitOfWorkFactory.usingUnitOfWork(
                                () -> store.appendToStream(STREAMS, stream, last, List.of(new Happened(text))));
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
        List<Happened> stream = Collections.nCopies(STREAM_LENGTH, new Happened(text));
        long begin = System.nanoTime();
        for (int i = 0; i < events / STREAM_LENGTH; i++) {
            String name = "backlog-" + i;
            unitOfWorkFactory.usingUnitOfWork(
                    () -> store.appendToStream(STREAMS, name, EventOrder.NO_EVENTS_PREVIOUSLY_PERSISTED, stream));
        }
        long appended = System.nanoTime() - begin;
        subscribe();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (handled.get() < events && System.nanoTime() < end) {
            Thread.sleep(1);
        }
        if (handled.get() <= counted) {
            return handled.get() + "\t" + appended + "\t" + seconds * 1_000_000_000L;
        }
        return (handled.get() - counted) + "\t" + appended + "\t" + (lastHandled.get() - countedSince);
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
