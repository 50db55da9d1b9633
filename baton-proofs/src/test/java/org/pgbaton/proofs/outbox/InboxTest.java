package org.pgbaton.proofs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.inbox.Inbox;
import org.pgbaton.inbox.StaleEpochException;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** With the inbox, at-least-once delivery takes effect exactly once, and senders that lost their lane are refused. */
@BatonTest
class InboxTest {
    private static final Inbox INBOX = Inbox.named("billing");

    @Test
    void aMessageIsThereForTheFirstTimeOnce(TestDatabase database) throws Exception {
        UUID id = UUID.randomUUID();
        try (Connection connection = transaction(database)) {
            assertThat(INBOX.firstTime(connection, id)).isTrue();
            assertThat(INBOX.firstTime(connection, id)).isFalse();
            connection.commit();
            assertThat(INBOX.firstTime(connection, id)).isFalse();
            assertThat(Inbox.named("shipping").firstTime(connection, id)).isTrue();
            assertThat(INBOX.firstTime(connection, UUID.randomUUID())).isTrue();
        }
    }

    @Test
    void afterARollbackTheNextOneIsTheFirst(TestDatabase database) throws Exception {
        UUID id = UUID.randomUUID();
        try (Connection connection = transaction(database)) {
            assertThat(INBOX.firstTime(connection, id, "k", 7)).isTrue();
            connection.rollback();
            assertThat(INBOX.firstTime(connection, id, "k", 6)).isTrue();
            connection.commit();
        }
    }

    @Test
    void theSecondOfTwoWaitsForTheEndOfTheFirst(TestDatabase database) throws Exception {
        try (Connection first = transaction(database);
                Connection second = transaction(database)) {
            UUID kept = UUID.randomUUID();
            assertThat(INBOX.firstTime(first, kept)).isTrue();
            CompletableFuture<Boolean> again = Background.run(() -> INBOX.firstTime(second, kept));
            Background.awaitWaiting(database, 1);
            first.commit();
            assertThat(again.get(20, TimeUnit.SECONDS)).isFalse();
            second.commit();

            UUID undone = UUID.randomUUID();
            assertThat(INBOX.firstTime(first, undone)).isTrue();
            CompletableFuture<Boolean> instead = Background.run(() -> INBOX.firstTime(second, undone));
            Background.awaitWaiting(database, 1);
            first.rollback();
            assertThat(instead.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** A receiver in a process of its own, which dies between its work and its commit. */
    static final class Receiver {
        public static void main(String[] arguments) throws Exception {
            Connection connection = DatabaseUrl.parse(arguments[0]).connector().connect();
            connection.setAutoCommit(false);
            System.out.println("FIRST " + INBOX.firstTime(connection, UUID.fromString(arguments[1]), "k", 3));
            connection.createStatement().execute("INSERT INTO work VALUES ('" + arguments[1] + "')");
            System.out.println("WORKED");
            System.in.read();
        }
    }

    @Test
    void aReceiverThatDiesHasReceivedNothing(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE work (id uuid)");
        UUID id = UUID.randomUUID();
        try (JavaProcess receiver = JavaProcess.start(Receiver.class, database.url(), id.toString());
                Connection connection = transaction(database)) {
            receiver.await("FIRST true", Duration.ofSeconds(30));
            receiver.await("WORKED", Duration.ofSeconds(30));
            CompletableFuture<Boolean> next = Background.run(() -> INBOX.firstTime(connection, id, "k", 3));
            Background.awaitWaiting(database, 1);
            receiver.kill();
            assertThat(next.get(20, TimeUnit.SECONDS)).isTrue();
            connection.commit();
            assertThat(database.one("SELECT count(*) FROM work")).isEqualTo("0");
        }
    }

    @Test
    void aSenderThatLostItsLaneIsRefused(TestDatabase database) throws Exception {
        UUID done = UUID.randomUUID();
        UUID late = UUID.randomUUID();
        try (Connection connection = transaction(database)) {
            assertThat(INBOX.firstTime(connection, done, "P7", 4)).isTrue();
            assertThat(INBOX.firstTime(connection, UUID.randomUUID(), "P7", 5)).isTrue();
            connection.commit();

            assertThatThrownBy(() -> INBOX.firstTime(connection, late, "P7", 4))
                    .isInstanceOfSatisfying(StaleEpochException.class, stale -> {
                        assertThat(stale.key()).isEqualTo("P7");
                        assertThat(stale.epoch()).isEqualTo(4);
                        assertThat(stale.id()).isEqualTo(late);
                        assertThat(stale.inbox()).isEqualTo("billing");
                    })
                    .hasMessageContaining("came with epoch 4, and inbox 'billing' has seen a later epoch of that key")
                    .cause()
                    .hasMessageContaining("has seen epoch 5 of that key");
            connection.rollback();

            // The rightful copy of the refused message counts as the first.
            assertThat(INBOX.firstTime(connection, late, "P7", 5)).isTrue();
            // A message that was received before is a duplicate, whoever sends it.
            assertThat(INBOX.firstTime(connection, done, "P7", 4)).isFalse();
            // Other keys, and messages without an epoch, are not concerned.
            assertThat(INBOX.firstTime(connection, UUID.randomUUID(), "P8", 4)).isTrue();
            assertThat(INBOX.firstTime(connection, UUID.randomUUID())).isTrue();
            connection.commit();
        }
    }

    /** Without the lock on the key's row both would be accepted, the later epoch first. */
    @Test
    void anOldAndANewSenderAtTheSameTimeComeInOrderOrTheOldOneIsRefused(TestDatabase database) throws Exception {
        try (Connection old = transaction(database);
                Connection young = transaction(database)) {
            assertThat(INBOX.firstTime(young, UUID.randomUUID(), "P7", 5)).isTrue();
            CompletableFuture<Boolean> late = Background.run(() -> INBOX.firstTime(old, UUID.randomUUID(), "P7", 4));
            Background.awaitWaiting(database, 1);
            young.commit();
            assertThatThrownBy(() -> late.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(StaleEpochException.class);
            old.rollback();

            assertThat(INBOX.firstTime(old, UUID.randomUUID(), "P7", 5)).isTrue();
            CompletableFuture<Boolean> next = Background.run(() -> INBOX.firstTime(young, UUID.randomUUID(), "P7", 6));
            Background.awaitWaiting(database, 1);
            old.commit();
            assertThat(next.get(20, TimeUnit.SECONDS)).isTrue();
            young.commit();
        }
    }

    /** Every message five times, to four receivers at once, each of which fails now and then. */
    @Test
    void everyEffectHappensExactlyOnce(TestDatabase database) throws Exception {
        long seed = System.nanoTime();
        database.execute("CREATE TABLE work (id uuid)");
        List<UUID> deliveries = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            deliveries.addAll(Collections.nCopies(5, UUID.randomUUID()));
        }
        Random random = new Random(seed);
        List<CompletableFuture<Boolean>> receivers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<UUID> mine = new ArrayList<>(deliveries);
            Collections.shuffle(mine, random);
            long mySeed = random.nextLong();
            receivers.add(Background.run(() -> receive(database, mine, new Random(mySeed))));
        }
        for (CompletableFuture<Boolean> receiver : receivers) {
            assertThat(receiver.get(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(database.one("SELECT count(*) || ' ' || count(DISTINCT id) FROM work"))
                .as("seed %s", seed)
                .isEqualTo("300 300");
    }

    private static boolean receive(TestDatabase database, List<UUID> deliveries, Random random) throws SQLException {
        try (Connection connection = transaction(database)) {
            for (UUID id : deliveries) {
                boolean done = false;
                while (!done) {
                    if (INBOX.firstTime(connection, id, "key-" + (id.hashCode() & 15), 1)) {
                        connection.createStatement().execute("INSERT INTO work VALUES ('" + id + "')");
                    }
                    done = random.nextInt(4) > 0;
                    if (done) {
                        connection.commit();
                    } else {
                        connection.rollback(); // and it is delivered again
                    }
                }
            }
        }
        return true;
    }

    @Test
    void theSameEpochAgainLeavesNoDeadRows(TestDatabase database) throws Exception {
        try (Connection connection = transaction(database)) {
            for (int i = 0; i < 50; i++) {
                INBOX.firstTime(connection, UUID.randomUUID(), "P7", 5);
                connection.commit();
            }
        }
        assertThat(database.one("SELECT ctid FROM baton.inbox_epoch")).isEqualTo("(0,1)");
    }

    @Test
    void forgettingTakesTheOldestInChunksAndLeavesTheRest(TestDatabase database) throws Exception {
        database.execute("""
                INSERT INTO baton.inbox (inbox, id, received_at)
                  SELECT 'billing', gen_random_uuid(), now() - interval '8 days' FROM generate_series(1, 10001);
                INSERT INTO baton.inbox (inbox, id, received_at)
                  SELECT 'shipping', gen_random_uuid(), now() - interval '8 days' FROM generate_series(1, 5);
                INSERT INTO baton.inbox_epoch VALUES ('billing', 'old', 9, now() - interval '8 days');""");
        UUID recent = UUID.randomUUID();
        try (Connection connection = transaction(database)) {
            INBOX.firstTime(connection, recent, "new", 3);
            connection.commit();
            Duration week = Duration.ofDays(7);
            assertThat(INBOX.forget(connection, week)).isEqualTo(10_001); // ten thousand ids and an epoch
            assertThat(INBOX.forget(connection, week)).isEqualTo(1);
            assertThat(INBOX.forget(connection, week)).isZero();
            connection.commit();
            assertThat(INBOX.firstTime(connection, recent)).isFalse();
            assertThat(INBOX.firstTime(connection, UUID.randomUUID(), "old", 1)).isTrue();
            assertThatThrownBy(() -> INBOX.firstTime(connection, UUID.randomUUID(), "new", 2))
                    .isInstanceOf(StaleEpochException.class);
        }
        assertThat(database.one("SELECT count(*) FROM baton.inbox WHERE inbox = 'shipping'"))
                .isEqualTo("5");
    }

    @Test
    void anyLanguageCanCallIt(TestDatabase database) throws Exception {
        String ask = "SELECT baton.first_time('billing', '6c0c0d1e-0000-4000-8000-000000000001', 'P7', ?)";
        assertThat(database.one(ask, 3L)).isEqualTo("t");
        assertThat(database.one(ask, 3L)).isEqualTo("f");
        assertThat(database.one("SELECT baton.first_time('billing', gen_random_uuid())"))
                .isEqualTo("t");
        assertThatThrownBy(() -> database.one("SELECT baton.first_time('billing', gen_random_uuid(), 'P7', 2)"))
                .hasMessageContaining("of key 'P7' came with epoch 2, and inbox 'billing' has seen epoch 3 of that key")
                .isInstanceOfSatisfying(
                        SQLException.class,
                        stale -> assertThat(stale.getSQLState()).isEqualTo("YB004"));
    }

    @Test
    void anInboxLivesInAnySchemaAndNeedsOnlyTheAppendRole(TestDatabase database) throws Exception {
        SchemaName shop = new SchemaName("Shop");
        Baton.builder(database.url()).schema("Shop").open().close();
        database.execute(Baton.rolesScript(shop));
        database.execute("CREATE ROLE receiver LOGIN IN ROLE \"Shop_append\"");
        try (Baton baton = Baton.builder(database.urlFor("receiver"))
                        .schema("Shop")
                        .open();
                Connection connection = DatabaseUrl.parse(database.urlFor("receiver"))
                        .connector()
                        .connect()) {
            connection.setAutoCommit(false);
            UUID id = UUID.randomUUID();
            assertThat(baton.inbox("billing").firstTime(connection, id, "k", 1)).isTrue();
            assertThat(Inbox.named(shop, "billing").firstTime(connection, id, "k", 1))
                    .isFalse();
            assertThat(Inbox.named(shop, "billing").forget(connection, Duration.ZERO))
                    .isEqualTo(2);
        } finally {
            database.execute("DROP OWNED BY receiver; DROP ROLE receiver");
        }
    }

    @Test
    void mistakesAreSentences(TestDatabase database) throws Exception {
        try (Connection connection = database.connect()) {
            assertThatThrownBy(() -> INBOX.firstTime(connection, UUID.randomUUID()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("in autocommit mode");
            assertThatThrownBy(() -> INBOX.forget(connection, Duration.ofSeconds(-1)))
                    .hasMessageContaining("give 0 s or more");
        }
        assertThatThrownBy(() -> Inbox.named(" "))
                .hasMessageContaining("cannot name an inbox: give 1 to 200 characters");
    }

    private static Connection transaction(TestDatabase database) throws SQLException {
        Connection connection = database.connect();
        connection.setAutoCommit(false);
        return connection;
    }
}
