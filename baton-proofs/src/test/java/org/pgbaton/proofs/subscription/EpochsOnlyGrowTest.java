package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.SchemaName;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.log.Draft;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * An epoch is above every epoch that this database ever gave out, so a receiver never takes the present owner for a
 * former one.
 */
@BatonTest
class EpochsOnlyGrowTest {
    private static final String KEY = "k";

    @Test
    void aSubscriptionThatIsDeletedAndMadeAgainIsBelieved(TestDatabase database) throws Exception {
        long before = lastOfThree(database, "mail");
        try (Baton baton = database.baton()) {
            baton.subscriptions().delete("mail", null, "to make it anew");
        }
        long after = lastOf(database, "mail");

        assertThat(after).isGreaterThan(before);
        assertThat(believed(database, before, after)).isTrue();
    }

    @Test
    void aTargetThatIsSwitchedToIsBelieved(TestDatabase database) throws Exception {
        long before = lastOfThree(database, "mail");
        database.execute("""
                INSERT INTO baton.subscription (name, target, log, ordering, state, live) VALUES ('mail', 'v2', 'events', 'total', 'running', false);
                INSERT INTO baton.checkpoint (subscription, lane, position)
                  SELECT s.id, -1, c.position FROM baton.subscription s, baton.checkpoint c WHERE s.target = 'v2'""");
        try (Baton baton = database.baton()) {
            baton.subscriptions().switchOver("mail", "v2", "a new one", Duration.ofSeconds(20), connection -> {});
            BlockingQueue<Long> epochs = new LinkedBlockingQueue<>();
            baton.subscription("mail")
                    .target("v2")
                    .on("events")
                    .order(MessageOrder.TOTAL)
                    .react((message, delivery) -> epochs.add(delivery.epoch()))
                    .start();
            baton.log("events").append(Draft.json("1").key(KEY));
            assertThat(take(epochs)).isGreaterThan(before);
        }
    }

    @Test
    void aNewLeadershipAndANewLaneBothStartAboveWhatWasThere(TestDatabase database) throws Exception {
        long lane = lastOfThree(database, "mail");
        try (Baton baton = database.baton()) {
            assertThat(baton.leadership("job").tryLead())
                    .isInstanceOfSatisfying(LeadershipAttempt.Leading.class, leading -> {
                        assertThat(leading.leading().epoch()).isGreaterThan(lane);
                        leading.leading().close();
                    });
        }
    }

    @Test
    void theMigrationBeginsAboveEveryEpochOfTheDatabase(TestDatabase database) throws Exception {
        database.execute("DROP SCHEMA baton CASCADE");
        database.execute(SchemaName.DEFAULT.in(stepSeven()));
        database.execute(
                "INSERT INTO baton.leadership (name, key, epoch, timeline) VALUES ('job', 1, 77, baton.timeline())");
        try (Baton baton = database.baton()) {
            assertThat(baton.leadership("other").tryLead())
                    .isInstanceOfSatisfying(
                            LeadershipAttempt.Leading.class,
                            leading -> assertThat(leading.leading().epoch()).isGreaterThan(77));
        }
    }

    @Test
    void afterAPromotionOrARestoreItJumpsOverWhateverTheOtherBranchGaveOut(TestDatabase database) throws Exception {
        long before = lastOfThree(database, "mail");
        database.execute("UPDATE baton.epoch_history SET timeline = '1/00000000'"); // as if taken elsewhere
        long after = lastOf(database, "mail");

        assertThat(after).isEqualTo(((before >> 32) + 1) << 32);
    }

    @Test
    void anEpochThatDidNotComeFromTheSequenceIsPassed(TestDatabase database) throws Exception {
        lastOfThree(database, "mail");
        database.execute(
                "UPDATE baton.checkpoint SET epoch = 1000"); // a program of an earlier version adds one by itself

        assertThat(lastOf(database, "mail")).isGreaterThan(1000);
    }

    private static boolean believed(TestDatabase database, long before, long after) throws Exception {
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            baton.inbox("receiver").firstTime(connection, UUID.randomUUID(), KEY, before);
            boolean first = baton.inbox("receiver").firstTime(connection, UUID.randomUUID(), KEY, after);
            connection.commit();
            return first;
        }
    }

    /** Restarted a few times, so that its epoch has grown. */
    private static long lastOfThree(TestDatabase database, String name) throws Exception {
        long epoch = 0;
        for (int i = 1; i <= 3; i++) {
            epoch = lastOf(database, name);
        }
        return epoch;
    }

    private static long lastOf(TestDatabase database, String name) throws Exception {
        BlockingQueue<Long> epochs = new LinkedBlockingQueue<>();
        try (Baton baton = database.baton()) {
            baton.log("events").append(Draft.json("1").key(KEY));
            baton.subscription(name)
                    .on("events")
                    .order(MessageOrder.TOTAL)
                    .react((message, delivery) -> epochs.add(delivery.epoch()))
                    .start();
            return take(epochs);
        }
    }

    private static long take(BlockingQueue<Long> epochs) throws InterruptedException {
        Long epoch = epochs.poll(60, TimeUnit.SECONDS);
        assertThat(epoch).isNotNull();
        return epoch;
    }

    private static String stepSeven() throws Exception {
        try (InputStream script = Objects.requireNonNull(
                EpochsOnlyGrowTest.class.getResourceAsStream("/org/pgbaton/proofs/schema/step-7.sql"))) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
