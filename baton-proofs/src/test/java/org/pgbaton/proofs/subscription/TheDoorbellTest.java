package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Writers ring only when a reader sleeps, and no wake-up is ever lost: at the latest, the look of every second finds
 * the row. {@code baton bench} measures how fast it is; the bounds here only tell the mechanisms apart.
 */
@BatonTest
class TheDoorbellTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    /** Enough latencies that four fifths of them can be told from the rest. */
    private static final int ENOUGH = 30;
    /** Far below the look of every second: a writer rang, or the reader was awake. */
    private static final Duration AT_ONCE = Duration.ofMillis(600);
    /** The look of every second, on a busy machine. */
    private static final Duration WITH_THE_NEXT_LOOK = Duration.ofSeconds(3);

    @Test
    void everySleeperHearsEveryRow(TestDatabase database) throws Exception {
        appendAtRandomMoments(database, Duration.ofSeconds(15));
    }

    @Test
    @Tag("heavy")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void everySleeperHearsEveryRowForMinutes(TestDatabase database) throws Exception {
        appendAtRandomMoments(database, Duration.ofMinutes(5));
    }

    private static void appendAtRandomMoments(TestDatabase database, Duration howLong) throws Exception {
        List<Duration> latencies = new ArrayList<>();
        Random random = new Random();
        try (Ear one = new Ear(database, "one");
                Ear two = new Ear(database, "two");
                Ear three = new Ear(database, "three");
                Connection writer = database.connect();
                Connection idler = database.connect()) {
            idler.setAutoCommit(false);
            long end = System.nanoTime() + howLong.toNanos();
            while (System.nanoTime() < end || latencies.size() <= ENOUGH) {
                boolean idle = random.nextInt(3) == 0;
                if (idle) {
                    Ear.append(idler, "idler");
                }
                Thread.sleep(random.nextInt(3) == 0 ? random.nextInt(3000) : random.nextInt(100));
                long position = Ear.append(writer, "key-" + random.nextInt(10));
                long committed = System.nanoTime();
                if (idle) {
                    idler.rollback();
                }
                for (Ear ear : List.of(one, two, three)) {
                    latencies.add(ear.latency(position, committed));
                }
            }
        }
        latencies.sort(null);
        assertThat(latencies.get(latencies.size() - 1)).isLessThan(WITH_THE_NEXT_LOOK);
        // If no writer rang, two of five rows would be seen later than that.
        assertThat(latencies.get(latencies.size() * 4 / 5)).isLessThan(AT_ONCE);
    }

    /** With thousands of locks a look takes milliseconds, and many rows come between its beginning and the sleep. */
    @Test
    void aRowThatComesWhileAHubFallsAsleepIsNotMissed(TestDatabase database) throws Exception {
        Random random = new Random();
        int late = 0;
        int rows = 100;
        try (Ear ear = new Ear(database, "ear");
                Connection writer = database.connect();
                Connection others = database.connect();
                Statement statement = others.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(1, n) FROM generate_series(1, 8000) n");
            for (int i = 0; i < rows; i++) {
                Thread.sleep(30 + random.nextInt(200));
                long position = Ear.append(writer, "key");
                if (ear.latency(position, System.nanoTime()).compareTo(AT_ONCE) > 0) {
                    late++;
                }
            }
        }
        assertThat(late).isLessThan(3);
    }

    /** The hub takes the bell before it reads the end, so a writer that comes later finds the bell taken and rings. */
    @Test
    void whoeverWantsToSleepTakesTheBellBeforeItReadsTheEnd(TestDatabase database) throws Exception {
        database.execute("CREATE SEQUENCE held_up");
        String sequence = database.one("SELECT 'held_up'::regclass::oid");
        try (Connection holder = database.connect();
                Connection hub = database.connect();
                Statement drop = holder.createStatement();
                Statement look = hub.createStatement()) {
            holder.setAutoCommit(false);
            drop.execute("DROP SEQUENCE held_up"); // a reader of it waits
            CompletableFuture<Boolean> looking = CompletableFuture.supplyAsync(() -> {
                try {
                    return look.execute("SELECT baton.look(ARRAY['baton.events'::regclass::oid], ARRAY[" + sequence
                            + "::oid], ARRAY['baton.events'::regclass::oid])");
                } catch (SQLException failure) {
                    throw new IllegalStateException(failure);
                }
            });
            await().until(() -> database.one(
                            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%baton.look%'")
                    .equals("1"));
            assertThat(database.one("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                            + " AND classid = 'baton.events'::regclass AND objid = 4294967295"))
                    .as("bells that are taken")
                    .isEqualTo("1");
            holder.rollback();
            assertThat(looking.get()).isTrue();
        }
    }

    @Test
    void aRollbackThatFreesALaneIsSeenAlthoughNobodyRings(TestDatabase database) throws Exception {
        try (Ear ear = new Ear(database, "ear");
                Connection writer = database.connect();
                Connection holder = database.connect()) {
            holder.setAutoCommit(false);
            for (int i = 0; i < 3; i++) {
                Ear.append(holder, "key");
                long position = Ear.append(writer, "key");
                await().until(() -> !Ear.isAsleep(database));
                await("while the lane is held, nobody sleeps")
                        .pollInterval(Duration.ofMillis(10))
                        .during(Duration.ofMillis(500))
                        .until(() -> !Ear.isAsleep(database));
                long rolledBack = System.nanoTime();
                holder.rollback();
                assertThat(ear.latency(position, rolledBack)).isLessThan(WITH_THE_NEXT_LOOK);
            }
        }
    }

    @Test
    void underSteadyLoadPracticallyNobodyRings(TestDatabase database) throws Exception {
        try (Ear ear = new Ear(database, "ear");
                Connection writer = database.connect();
                Connection listener = database.connect();
                Statement statement = listener.createStatement()) {
            statement.execute("LISTEN \"baton." + database.one("SELECT 'baton.events'::regclass::oid") + "\"");
            int rung = 0;
            long last = 0;
            for (int i = 0; i < 2000; i++) {
                last = Ear.append(writer, "key-" + i % 50);
                rung += count(listener);
            }
            ear.latency(last, System.nanoTime());
            assertThat(rung).isLessThan(100);
        }
    }

    private static int count(Connection listener) throws SQLException {
        PGNotification[] heard = listener.unwrap(PGConnection.class).getNotifications();
        return heard == null ? 0 : heard.length;
    }

    @Test
    void whoeverSleepsIsRung(TestDatabase database) throws Exception {
        try (Ear ear = new Ear(database, "ear");
                Connection writer = database.connect();
                Connection listener = database.connect();
                Statement statement = listener.createStatement()) {
            statement.execute("LISTEN \"baton." + database.one("SELECT 'baton.events'::regclass::oid") + "\"");
            for (int i = 0; i < 5; i++) {
                Ear.awaitSleep(database);
                count(listener);
                ear.latency(Ear.append(writer, "key"), System.nanoTime());
                assertThat(listener.unwrap(PGConnection.class).getNotifications(5000))
                        .isNotEmpty();
            }
        }
    }

    @Test
    void aRowWrittenWhileTheListenerIsCutOffIsFoundAfterwards(TestDatabase database) throws Exception {
        try (Ear ear = new Ear(database, "ear");
                Connection writer = database.connect()) {
            Ear.awaitSleep(database);
            assertThat(database.terminate("baton hub ear")).isEqualTo(1);
            long position = Ear.append(writer, "key");
            assertThat(ear.latency(position, System.nanoTime())).isLessThan(WITH_THE_NEXT_LOOK);
        }
    }

    @Test
    void theOthersSleepOnUntilTheNextLookWhenTheOneAtTheDoorbellIsKilled(TestDatabase database) throws Exception {
        try (JavaProcess one = EarProgram.start(database, "one");
                JavaProcess two = EarProgram.start(database, "two");
                Connection writer = database.connect()) {
            one.await("RUNNING", SOON);
            two.await("RUNNING", SOON);
            Ear.awaitSleep(database);
            boolean oneHoldsIt = Ear.atTheDoorbell(database).equals("baton hub one");
            (oneHoldsIt ? one : two).kill();
            long position = Ear.append(writer, "key");
            long committed = System.nanoTime();
            JavaProcess.Line saw = (oneHoldsIt ? two : one).await("SAW " + position + ".", SOON);
            assertThat(Duration.ofNanos(saw.at() - committed)).isLessThan(WITH_THE_NEXT_LOOK);
        }
    }

    @Test
    void theOthersHearTheBellWhenTheOneAtTheDoorbellIsFrozen(TestDatabase database) throws Exception {
        try (JavaProcess one = EarProgram.start(database, "one");
                JavaProcess two = EarProgram.start(database, "two");
                Connection writer = database.connect()) {
            one.await("RUNNING", SOON);
            two.await("RUNNING", SOON);
            Ear.awaitSleep(database);
            boolean oneHoldsIt = Ear.atTheDoorbell(database).equals("baton hub one");
            JavaProcess holder = oneHoldsIt ? one : two;
            JavaProcess other = oneHoldsIt ? two : one;
            holder.freeze();
            long position = Ear.append(writer, "key");
            long committed = System.nanoTime();
            JavaProcess.Line saw = other.await("SAW " + position + ".", SOON);
            assertThat(Duration.ofNanos(saw.at() - committed)).isLessThan(WITH_THE_NEXT_LOOK);
            holder.thaw();
            holder.await("SAW " + position + ".", SOON);
        }
    }

    @Test
    void aPreparedTransactionThatSwitchesTheDoorbellOffIsFoundByTheNextLook() throws Exception {
        try (TestServer server = TestServer.start(Map.of("max_prepared_transactions", "10"));
                TestDatabase database = server.newDatabase();
                Ear ear = new Ear(database, "ear");
                Connection writer = database.connect();
                Statement statement = writer.createStatement()) {
            Ear.awaitSleep(database);
            statement.execute("BEGIN");
            statement.execute("SET LOCAL baton.doorbell = 'off'");
            long position = Ear.append(writer, "key");
            statement.execute("PREPARE TRANSACTION 'silent'");
            statement.execute("COMMIT PREPARED 'silent'");
            assertThat(ear.latency(position, System.nanoTime())).isLessThan(WITH_THE_NEXT_LOOK);

            Ear.awaitSleep(database);
            statement.execute("BEGIN");
            Ear.append(writer, "key");
            assertThatThrownBy(() -> statement.execute("PREPARE TRANSACTION 'loud'"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("NOTIFY");
        }
    }
}
