package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Promise 7. A writer here gives up after 300 ms of waiting for any lock, so waiting would be a failure. */
@BatonTest
class WritersNeverWaitTest {
    private static void write(TestDatabase database, int rows) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET lock_timeout = '300ms'");
            for (int i = 0; i < rows; i++) {
                statement.execute("INSERT INTO baton.events (key, payload) VALUES ('k" + i + "', '{}')");
            }
        }
    }

    @Test
    void forAReaderThatIsInTheMiddleOfItsWork(TestDatabase database) throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Baton baton = database.baton()) {
            baton.subscription("slow")
                    .on("events")
                    .project((message, connection) -> {
                        inHandler.countDown();
                        assertThat(goOn.await(20, TimeUnit.SECONDS)).isTrue();
                    })
                    .start();
            write(database, 1);
            assertThat(inHandler.await(20, TimeUnit.SECONDS)).isTrue();

            write(database, 50);
            goOn.countDown();
            database.drain("slow", Duration.ofSeconds(20));
        }
    }

    @Test
    void forRetentionThatIsRemovingRows(TestDatabase database) throws Exception {
        write(database, 100);
        try (Connection retention = database.connect();
                Statement statement = retention.createStatement()) {
            retention.setAutoCommit(false);
            statement.execute("SELECT baton.retain('baton.events', 50)");

            write(database, 50);
            retention.commit();
        }
        assertThat(database.one("SELECT count(*) FROM baton.events")).isEqualTo("100");
    }

    @Test
    void forASleeperThatHoldsTheDoorbell(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            baton.subscription("asleep")
                    .on("events")
                    .react((message, delivery) -> {})
                    .start();
            for (int i = 0; i < 5; i++) {
                database.drain("asleep", Duration.ofSeconds(20));
                awaitASleeper(database);
                write(database, 3);
            }
        }
    }

    private static void awaitASleeper(TestDatabase database) throws SQLException, InterruptedException {
        String sleepers =
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 'baton.events'::regclass "
                        + "AND objid = 4294967295 AND mode = 'ExclusiveLock'";
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (database.one(sleepers).equals("0")) {
            assertThat(System.nanoTime()).as("nobody falls asleep").isLessThan(end);
            Thread.sleep(5);
        }
    }

    @Test
    void forEachOtherWhateverTheOrderInWhichTheyWriteToTheLanes(TestDatabase database) throws Exception {
        long seed = System.nanoTime();
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Random random = new Random(seed + i);
            writers.add(CompletableFuture.runAsync(() -> writeInAnyOrder(database, random)));
        }
        for (CompletableFuture<Void> writer : writers) {
            writer.get(60, TimeUnit.SECONDS);
        }

        assertThat(database.one("SELECT count(*) FROM baton.events"))
                .as("seed %d", seed)
                .isEqualTo("6400");
        assertThat(database.one("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
                .isEqualTo("0");
    }

    private static void writeInAnyOrder(TestDatabase database, Random random) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET lock_timeout = '300ms'");
            connection.setAutoCommit(false);
            List<Integer> keys = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                keys.add(i);
            }
            for (int transaction = 0; transaction < 20; transaction++) {
                Collections.shuffle(keys, random);
                for (int key : keys) {
                    statement.execute("INSERT INTO baton.events (key, payload) VALUES ('k" + key + "', '{}')");
                }
                connection.commit();
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
