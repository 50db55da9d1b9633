package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.ds.PGSimpleDataSource;

/** Kafka has committed what was parked, and PostgreSQL cannot be told: consumers that read what is committed see each message once. */
@BatonTest
class ParkedKeysExactlyOnceTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final TestBroker broker = TestBroker.shared();
    private final String topic = broker.topics().create(1);
    private final String name = "parked-once-" + NUMBER.incrementAndGet();
    private final Watched kafka = new Watched(
            KafkaTransactionalPublisher.to(broker.bootstrapServers()).groups(1).build());
    private final AtomicBoolean poolIsEmpty = new AtomicBoolean();
    private final AtomicInteger connections = new AtomicInteger();

    private Baton baton;
    private Subscription relay;

    @BeforeEach
    void parkAKey(TestDatabase database) throws Exception {
        PGSimpleDataSource pool = new PGSimpleDataSource() {
            private static final long serialVersionUID = 1L;

            @Override
            public Connection getConnection() throws SQLException {
                connections.incrementAndGet();
                if (poolIsEmpty.get()) {
                    throw new SQLTransientConnectionException("no connection is free");
                }
                return super.getConnection();
            }
        };
        pool.setUrl(database.url());
        baton = Baton.builder(pool, database::connect).who("one").open();
        kafka.refused.add("\"m1\"");
        append(database, "bad", "m1", "m2", "m3");
        relay = baton.subscription(name)
                .on("outbox")
                .backoff(Duration.ofMillis(20), Duration.ofMillis(100))
                .publish(kafka)
                .start();
        await().atMost(SOON).until(() -> relay.stats().keysParked() == 1);
        kafka.refused.clear();
    }

    @AfterEach
    void close() {
        baton.close();
        kafka.close();
    }

    private void append(TestDatabase database, String key, String... texts) throws Exception {
        database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT '" + topic + "', '" + key
                + "', to_json(n) FROM unnest(ARRAY['" + String.join("','", texts) + "']) n");
    }

    private List<String> committed() {
        return broker.topics().committed(topic).stream()
                .map(each -> Outbox.value(each).replace("\"", ""))
                .toList();
    }

    private void retry() {
        baton.subscriptions().retry(name, "bad", "it is taken now");
    }

    /** Fails for as long as it is there; counts, outside of any transaction, how often. */
    private static void refuse(TestDatabase database, String what) throws SQLException {
        database.execute("""
                CREATE SEQUENCE public.refusals;
                CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  PERFORM nextval('public.refusals');
                  RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
                END $$;
                CREATE TRIGGER refuse BEFORE %s
                  FOR EACH STATEMENT EXECUTE FUNCTION public.refuse()""".formatted(what));
    }

    private static void awaitRefusals(TestDatabase database) {
        await().atMost(SOON).until(() -> Integer.parseInt(database.one("SELECT last_value FROM public.refusals")) >= 3);
    }

    @Test
    void theDiskIsFullBetweenTheTwoCommits(TestDatabase database) throws Exception {
        refuse(database, "DELETE ON baton.parked_message");
        retry();
        awaitRefusals(database);
        database.execute("DROP TRIGGER refuse ON baton.parked_message");
        append(database, "bad", "m4");
        database.drain(name, SOON);
        assertThat(committed()).containsExactly("m1", "m2", "m3", "m4");
    }

    @Test
    void whatComesFromTheLogWhileTheCheckpointCannotBeMoved(TestDatabase database) throws Exception {
        refuse(database, "UPDATE ON baton.checkpoint");
        append(database, "good", "g1", "g2");
        awaitRefusals(database);
        append(database, "good", "g3");
        await().atMost(SOON).until(() -> committed().contains("g3"));
        database.execute("DROP TRIGGER refuse ON baton.checkpoint");
        retry();
        database.drain(name, SOON);
        assertThat(committed()).containsExactly("g1", "g2", "g3", "m1", "m2", "m3");
    }

    @Test
    void theDatabaseIsReadOnlyBetweenTheTwoCommits(TestDatabase database) throws Exception {
        AtomicInteger commits = new AtomicInteger();
        try (Connection writable = database.connect();
                Statement set = writable.createStatement()) {
            String alter = "ALTER DATABASE " + database.name();
            kafka.afterCommit = messages -> {
                if (commits.getAndIncrement() == 0) {
                    execute(set, alter + " SET default_transaction_read_only = on");
                }
            };
            retry();
            await().atMost(SOON).until(() -> commits.get() > 0);
            int before = connections.get();
            await().atMost(SOON).until(() -> connections.get() > before + 20);
            execute(set, alter + " RESET default_transaction_read_only");
        }
        database.drain(name, SOON);
        assertThat(committed()).containsExactly("m1", "m2", "m3");
    }

    @Test
    void thePoolIsEmptyBetweenTheTwoCommits(TestDatabase database) throws Exception {
        kafka.afterCommit = messages -> poolIsEmpty.set(true);
        retry();
        await().atMost(SOON).until(poolIsEmpty::get);
        int before = connections.get();
        await().atMost(SOON).until(() -> connections.get() > before + 5);
        kafka.afterCommit = messages -> {};
        poolIsEmpty.set(false);
        database.drain(name, SOON);
        assertThat(committed()).containsExactly("m1", "m2", "m3");
    }

    @Test
    void anOperatorSkipsWhatIsBeingPublished(TestDatabase database) throws Exception {
        long head = Long.parseLong(database.one("SELECT min(position) FROM baton.parked_message"));
        AtomicBoolean skipped = new AtomicBoolean();
        kafka.afterCommit = messages -> {
            if (skipped.compareAndSet(false, true)) {
                baton.subscriptions().skip(name, "bad", head, "we do not need it");
            }
        };
        retry();
        database.drain(name, SOON);
        assertThat(skipped).isTrue();
        append(database, "bad", "m4");
        database.drain(name, SOON);
        assertThat(committed()).containsExactly("m1", "m2", "m3", "m4");
    }

    @Test
    void aKeyThatIsParkedAgainKeepsItsMarkUntilPostgreSqlKnows(TestDatabase database) throws Exception {
        retry();
        database.drain(name, SOON);
        kafka.refused.add("\"m4\"");
        append(database, "bad", "m4");
        await().atMost(SOON).until(() -> relay.stats().keysParked() == 1);
        kafka.refused.clear();

        // Its record cannot be removed yet; meanwhile another key's batch is published.
        try (Connection holding = database.connect();
                Statement hold = holding.createStatement()) {
            hold.execute("""
                    CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS
                      'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NULL; END';
                    CREATE TRIGGER wait BEFORE DELETE ON baton.parked_message
                      FOR EACH STATEMENT EXECUTE FUNCTION public.wait();
                    SELECT pg_advisory_lock(4711)""");
            retry();
            await().atMost(SOON)
                    .until(() -> database.one(
                                    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                                            + " AND objid = 4711")
                            .equals("1"));
            append(database, "other", "o1");
            await().atMost(SOON).until(() -> committed().contains("o1"));
            // As if the process had crashed here.
            database.one(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database()"
                            + " AND pid NOT IN (pg_backend_pid(), (SELECT pid FROM pg_locks WHERE objid = 4711 AND granted))");
        }
        database.drain(name, SOON);
        assertThat(committed()).containsExactly("m1", "m2", "m3", "m4", "o1");
    }

    private static void execute(Statement statement, String sql) {
        try {
            statement.execute(sql);
        } catch (SQLException refused) {
            throw new IllegalStateException(refused);
        }
    }
}
