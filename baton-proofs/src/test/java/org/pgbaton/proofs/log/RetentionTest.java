package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.LogException;
import org.pgbaton.log.Logs;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Old rows are removed in chunks, but never a row that a subscription has not passed or that a parked key waits for.
 */
@BatonTest
class RetentionTest {
    @Test
    void rowsAreKeptForEverUnlessSomebodySaysOtherwise(TestDatabase database) throws Exception {
        fill(database, 100);
        try (Baton baton = database.baton()) {
            assertThat(baton.logs().retainOnce("events")).isZero();
            assertThat(count(database)).isEqualTo("100");
        }
    }

    @Test
    void oldRowsGoInChunksAndYoungOnesStay(TestDatabase database) throws Exception {
        fill(database, 25_000);
        age(database, 24_000);
        try (Baton baton = database.baton()) {
            Logs logs = baton.logs();
            logs.setRetention("events", Duration.ofDays(30));
            assertThat(logs.retainOnce("events")).isEqualTo(10_000);
            assertThat(logs.retainOnce("events")).isEqualTo(10_000);
            assertThat(logs.retainOnce("events")).isEqualTo(4_000);
            assertThat(logs.retainOnce("events")).isZero();
            assertThat(logs.show("events").first().position()).isEqualTo(24_001);
            assertThat(logs.show("events").retainedAbove()).isEqualTo(24_000);
            assertThat(count(database)).isEqualTo("1000");
        }
    }

    @Test
    void aYoungRowAmongOldOnesIsNotTakenAlong(TestDatabase database) throws Exception {
        fill(database, 10);
        age(database, 4);
        makeOld(database, "position BETWEEN 6 AND 8");
        try (Baton baton = database.baton()) {
            baton.logs().setRetention("events", Duration.ofDays(30));
            assertThat(baton.logs().retainOnce("events")).isEqualTo(4);
            assertThat(baton.logs().retainOnce("events")).isZero();
        }
    }

    @Test
    void nothingIsRemovedThatASubscriptionHasNotPassed(TestDatabase database) throws Exception {
        fill(database, 100);
        age(database, 100);
        subscribe(database, "running", 60, 40);
        try (Baton baton = database.baton()) {
            baton.logs().setRetention("events", Duration.ofDays(30));
            assertThat(baton.logs().retainOnce("events")).isEqualTo(40);
            assertThat(baton.logs().retainOnce("events")).isZero();
            assertThat(baton.logs().show("events").first().position()).isEqualTo(41);

            database.execute("UPDATE baton.checkpoint SET position = 70");
            assertThat(baton.logs().retainOnce("events")).isEqualTo(30);
        }
    }

    @Test
    void aRetiredSubscriptionHoldsNothingBack(TestDatabase database) throws Exception {
        fill(database, 100);
        age(database, 100);
        subscribe(database, "retired", 10);
        try (Baton baton = database.baton()) {
            baton.logs().setRetention("events", Duration.ofDays(30));
            assertThat(baton.logs().retainOnce("events")).isEqualTo(100);
        }
    }

    @Test
    void nothingIsRemovedThatAParkedKeyNeeds(TestDatabase database) throws Exception {
        fill(database, 100);
        age(database, 100);
        subscribe(database, "running", 100);
        database.execute("""
                INSERT INTO baton.parked (subscription, checkpoint, key, state, attempts) VALUES (1, 1, 'k', 'parked', 5);
                INSERT INTO baton.parked_message (parked, position, log) VALUES (1, 31, 'events'), (1, 50, 'events')""");
        try (Baton baton = database.baton()) {
            baton.logs().setRetention("events", Duration.ofDays(30));
            assertThat(baton.logs().retainOnce("events")).isEqualTo(30);
            assertThat(baton.logs().retainOnce("events")).isZero();
            database.execute("DELETE FROM baton.parked_message WHERE position = 31");
            assertThat(baton.logs().retainOnce("events")).isEqualTo(19);
        }
    }

    @Test
    void alsoRetainByHandStopsAtTheCheckpoint(TestDatabase database) throws Exception {
        fill(database, 100);
        subscribe(database, "running", 40);
        assertThat(database.one("SELECT baton.retain('baton.events', 100)")).isEqualTo("40");
        assertThatThrownBy(() -> database.one("SELECT baton.retain('baton.action', 100)"))
                .hasMessageContaining("is not a log");
    }

    @Test
    void aSubscriptionThatIsBeingCreatedIsWaitedForAndSeen(TestDatabase database) throws Exception {
        fill(database, 100);
        age(database, 100);
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            baton.logs().setRetention("events", Duration.ofDays(30));
            open.setAutoCommit(false);
            open.createStatement().execute("""
                    INSERT INTO baton.subscription (name, log, ordering, state) VALUES ('s', 'events', 'key', 'running');
                    INSERT INTO baton.checkpoint (subscription, lane, position) VALUES (1, 0, 20)""");
            CompletableFuture<Integer> removed =
                    Background.run(() -> baton.logs().retainOnce("events"));
            Background.awaitWaiting(database, 1);
            open.commit();
            assertThat(removed.get(20, TimeUnit.SECONDS)).isEqualTo(20);
        }
    }

    @Test
    void aRowThatIsCommittedBelowWhatIsGoneAlreadyGoesToo(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            baton.logs().setRetention("events", Duration.ZERO);
            open.setAutoCommit(false);
            open.createStatement().execute("INSERT INTO baton.events (key, payload) VALUES ('late', '1')");
            fill(database, 100);
            assertThat(baton.logs().retainOnce("events")).isEqualTo(100);
            assertThat(baton.logs().show("events").retainedAbove()).isEqualTo(101);
            open.commit();
            subscribe(database, "running", 0);
            assertThat(baton.logs().retainOnce("events")).as("it is needed").isZero();
            database.execute("UPDATE baton.checkpoint SET position = 50");
            assertThat(baton.logs().retainOnce("events")).isEqualTo(1);
            assertThat(count(database)).isEqualTo("0");
        }
    }

    /**
     * A member that passes over a message moves the checkpoint beyond it and records it for its parked key. Retention
     * must see both or neither.
     */
    @Test
    void checkpointsAndParkedKeysAreReadTogether(TestDatabase database) throws Exception {
        fill(database, 100);
        age(database, 100);
        subscribe(database, "running", 0);
        try (Baton baton = database.baton();
                Connection parking = database.connect()) {
            baton.logs().setRetention("events", Duration.ofDays(30));
            parking.setAutoCommit(false);
            parking.createStatement().execute("""
                    INSERT INTO baton.parked (subscription, checkpoint, key, state, attempts) VALUES (1, 1, 'k', 'parked', 5);
                    INSERT INTO baton.parked_message (parked, position, log) VALUES (1, 31, 'events');
                    UPDATE baton.checkpoint SET position = 100;
                    LOCK TABLE baton.checkpoint IN ACCESS EXCLUSIVE MODE""");
            CompletableFuture<Integer> removed =
                    Background.run(() -> baton.logs().retainOnce("events"));
            // Retention cannot read the checkpoints yet. If it had read the parked keys before, in a separate
            // statement, it would have found none.
            Background.awaitWaiting(database, 1);
            parking.commit();
            assertThat(removed.get(20, TimeUnit.SECONDS)).isEqualTo(30);
        }
        assertThat(database.one("SELECT min(position) FROM baton.events")).isEqualTo("31");
    }

    @Test
    void whoChangesRetentionIsRecorded(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            baton.logs().setRetention("events", Duration.ofHours(1));
            assertThat(baton.logs().show("events").retention()).isEqualTo(Duration.ofHours(1));
            baton.logs().keepForever("events");
            assertThat(baton.logs().show("events").retention()).isNull();
            assertThat(
                            database.one(
                                    "SELECT string_agg(who || ' ' || what || ' ' || subject || ' ' || detail, ', ' ORDER BY id) FROM baton.action"))
                    .isEqualTo("me retention log events 3600 s, me retention log events for ever");
            assertThatThrownBy(() -> baton.logs().setRetention("nothing", Duration.ofDays(1)))
                    .isInstanceOf(LogException.class);
            assertThatThrownBy(() -> baton.logs().retainOnce("nothing")).isInstanceOf(LogException.class);
        }
    }

    private static void fill(TestDatabase database, int rows) throws Exception {
        database.execute(
                "INSERT INTO baton.events (key, payload) SELECT 'k', '1' FROM generate_series(1, " + rows + ")");
    }

    private static void age(TestDatabase database, int upTo) throws Exception {
        makeOld(database, "position <= " + upTo);
    }

    private static void makeOld(TestDatabase database, String which) throws Exception {
        database.execute("ALTER TABLE baton.events DISABLE TRIGGER baton_refuse;"
                + "UPDATE baton.events SET recorded_at = recorded_at - interval '31 days' WHERE " + which
                + ";ALTER TABLE baton.events ENABLE ALWAYS TRIGGER baton_refuse");
    }

    private static void subscribe(TestDatabase database, String state, int... positions) throws Exception {
        database.execute("INSERT INTO baton.subscription (name, log, ordering, state) VALUES ('s', 'events', 'key', '"
                + state + "')");
        for (int lane = 0; lane < positions.length; lane++) {
            database.execute("INSERT INTO baton.checkpoint (subscription, lane, position) VALUES (1, " + lane + ", "
                    + positions[lane] + ")");
        }
    }

    private static String count(TestDatabase database) throws Exception {
        return database.one("SELECT count(*) FROM baton.events");
    }
}
