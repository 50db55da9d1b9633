package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.SubscriptionTakenException;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** Every member of a subscription gets a fair share of its lanes, and work goes on while lanes change hands. */
@BatonTest
class MembersShareTheLanesTest {
    private static final String NAME = "s";

    @Test
    void evenlyAsMembersComeAndGo(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Writers writers = Writers.startShort(database, 4);
                Baton one = database.baton("one");
                Baton two = database.baton("two");
                Baton three = database.baton("three")) {
            Subscription first = start(one, InstanceMode.COORDINATED);
            awaitLanes(16, first);
            Subscription second = start(two, InstanceMode.COORDINATED);
            awaitLanes(8, first, second);
            Subscription third = start(three, InstanceMode.COORDINATED);
            awaitLanes(5, first, second, third);
            assertThat(database.one("SELECT members FROM baton.subscription_status"))
                    .isEqualTo("3");
            second.close();
            awaitLanes(8, first, third);
            third.close();
            awaitLanes(16, first);
            writers.stop();
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void theLanesOfOneThatDiesGoToTheOthersWhoDoNotStopMeanwhile(TestDatabase database) throws Exception {
        Handled.createTable(database);
        List<JavaProcess> readers = new ArrayList<>();
        try (Writers writers = Writers.startShort(database, 4)) {
            for (int i = 0; i < 3; i++) {
                readers.add(ReaderProgram.start(database, "reader-" + i));
            }
            Eventually.isTrue(
                    Duration.ofSeconds(40),
                    () -> lanesOf(database, "reader-0") >= 5
                            && lanesOf(database, "reader-1") >= 5
                            && lanesOf(database, "reader-2") >= 5);
            database.execute(
                    "CREATE TABLE public.before AS SELECT checkpoint, epoch, owner FROM baton.lane_status WHERE name = 'by-key'");
            int kept = number(database, "SELECT count(*) FROM public.before WHERE owner <> 'reader-1'");
            readers.get(1).kill();
            long killed = System.nanoTime();
            Eventually.isTrue(() -> lanesOf(database, "reader-0") == 8 && lanesOf(database, "reader-2") == 8);
            // Its locks are free at once, and somebody looks at least once a second.
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(5));
            // The other members kept their lanes: only the lanes of the dead member have another epoch.
            assertThat(number(
                            database,
                            "SELECT count(*) FROM baton.lane_status JOIN public.before USING (checkpoint, epoch)"))
                    .isEqualTo(kept);
            writers.stop();
            Eventually.isTrue(() -> Handled.isComplete(database, ReaderProgram.BY_KEY));
            assertThat(Handled.verdict(database, ReaderProgram.BY_KEY, false)).matches(Handled.Verdict::isClean);
            Eventually.isTrue(() -> Handled.isComplete(database, ReaderProgram.IN_TOTAL_ORDER));
            assertThat(Handled.verdict(database, ReaderProgram.IN_TOTAL_ORDER, true))
                    .matches(Handled.Verdict::isClean);
        } finally {
            readers.forEach(JavaProcess::close);
        }
    }

    @Test
    void aBusyLaneIsGivenBackWhenItsBatchHasEnded(TestDatabase database) throws Exception {
        Handled.createTable(database);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        database.execute("SELECT baton.create_log('single', 2)");
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Subscription first = one.subscription(NAME)
                    .on("single")
                    .project((message, connection) -> {
                        inside.countDown();
                        go.await();
                    })
                    .start();
            awaitLanes(2, first);
            database.execute(
                    "INSERT INTO baton.single (key, payload) SELECT 'key-' || n, '{}' FROM generate_series(1, 20) n");
            inside.await();
            Subscription second = two.subscription(NAME)
                    .on("single")
                    .project((message, connection) -> {})
                    .start();
            go.countDown();
            awaitLanes(1, first, second);
            Eventually.isTrue(() -> database.one("SELECT lag_positions FROM baton.subscription_status")
                    .equals("0"));
        }
    }

    @Test
    void inTotalOrderOneWorksAndTheOthersStandBy(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Subscription first = start(one, InstanceMode.COORDINATED, MessageOrder.TOTAL);
            awaitLanes(1, first);
            Subscription second = start(two, InstanceMode.COORDINATED, MessageOrder.TOTAL);
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(second.stats().lanes()).isZero();
            assertThat(second.health().isHealthy()).isTrue();
            first.close();
            awaitLanes(1, second);
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, true)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void theSameSubscriptionTwiceInOneProcessSharesThemToo(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Baton baton = database.baton()) {
            Subscription first = start(baton, InstanceMode.COORDINATED);
            Subscription second = start(baton, InstanceMode.COORDINATED);
            awaitLanes(8, first, second);
            append(database, 200);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            first.close();
            awaitLanes(16, second);
            append(database, 200);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void whoWantsToBeAloneFailsIfItIsNot(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Subscription first = start(one, InstanceMode.COORDINATED);
            assertThatThrownBy(() -> start(two, InstanceMode.FAIL)).isInstanceOf(SubscriptionTakenException.class);
            first.close();
            Subscription second = start(two, InstanceMode.FAIL);
            awaitLanes(16, second);
            assertThatThrownBy(() -> start(one, InstanceMode.FAIL)).isInstanceOf(SubscriptionTakenException.class);
        }
    }

    @Test
    void whoWantsToBeAloneSkipsIfItIsNot(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Subscription first = start(one, InstanceMode.SKIP);
            Subscription second = start(two, InstanceMode.SKIP);
            assertThat(second.state()).isEqualTo(SubscriptionState.SKIPPED);
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(second.stats().handled()).isZero();
            assertThat(first.stats().handled()).isEqualTo(100);
            second.close();
        }
    }

    @Test
    void ofTwoThatStartAloneAtTheSameMomentOneIsAlone(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            List<Subscription> both = List.of(one, two).parallelStream()
                    .map(baton -> start(baton, InstanceMode.SKIP))
                    .toList();
            assertThat(both.stream().filter(each -> each.state() == SubscriptionState.SKIPPED))
                    .hasSize(1);
        }
    }

    @Test
    void aSecondSingleInstanceFencesTheFirst(TestDatabase database) throws Exception {
        fenceTheFirst(database, "one", "two");
    }

    @Test
    void aSecondSingleInstanceFencesTheFirstAlthoughBothGoByOneName(TestDatabase database) throws Exception {
        fenceTheFirst(database, "app", "app");
    }

    private static void fenceTheFirst(TestDatabase database, String name, String other) throws Exception {
        Handled.createTable(database);
        try (Baton one = database.baton(name);
                Baton two = database.baton(other)) {
            Subscription first = start(one, InstanceMode.SINGLE);
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            Subscription second = start(two, InstanceMode.SINGLE);
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            Eventually.isTrue(() -> first.state() == SubscriptionState.FENCED);
            assertThat(first.health().isHealthy()).isFalse();
            assertThat(second.state()).isEqualTo(SubscriptionState.RUNNING);
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void aSingleInstanceSurvivesADeadlockOfItsHandlerAndTheLossOfItsConnections(TestDatabase database)
            throws Exception {
        Handled.createTable(database);
        AtomicBoolean broken = new AtomicBoolean(true);
        try (Baton baton = database.baton("one")) {
            Subscription single = baton.subscription(NAME)
                    .on("events")
                    .mode(InstanceMode.SINGLE)
                    .project((message, connection) -> {
                        Handled.add(connection, NAME, List.of(message));
                        if (broken.getAndSet(false)) {
                            throw new SQLException("deadlock detected", "40P01");
                        }
                    })
                    .start();
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            database.terminate("baton%");
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(single.state()).isEqualTo(SubscriptionState.RUNNING);
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void connectionsAndLocksAreBounded(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Writers writers = Writers.startShort(database, 4);
                Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Subscription first = start(one, InstanceMode.COORDINATED);
            Subscription second = start(two, InstanceMode.COORDINATED);
            awaitLanes(8, first, second);
            Eventually.isTrue(() -> Handled.count(database, NAME) > 300);
            assertThat(number(
                            database,
                            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'baton hub %'"
                                    + " AND datname = current_database()"))
                    .isEqualTo(2);
            assertThat(number(
                            database,
                            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'baton session %'"
                                    + " AND datname = current_database()"))
                    .isEqualTo(2);
            // For each member: four workers, as many that read ahead, and one for everything else. Those of the
            // beginning are
            // closed when nobody has used them for 30 s.
            Eventually.isTrue(
                    Duration.ofSeconds(60),
                    () -> number(
                                    database,
                                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'baton'"
                                            + " AND datname = current_database()")
                            <= 2 * (4 + 4 + 2) + 1);
            // Lanes, members, doorbell; and of each writer its lanes and the doorbell.
            assertThat(number(database, """
                    SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
                       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""")).isLessThanOrEqualTo(16 + 2 + 1 + 4 * 17);
            writers.stop();
        }
        Eventually.isTrue(() -> number(database, """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'baton%'""") == 0);
    }

    private static Subscription start(Baton baton, InstanceMode mode) {
        return start(baton, mode, MessageOrder.PER_KEY);
    }

    private static Subscription start(Baton baton, InstanceMode mode, MessageOrder order) {
        return baton.subscription(NAME)
                .on("events")
                .mode(mode)
                .order(order)
                .project((message, connection) -> Handled.add(connection, NAME, List.of(message)))
                .start();
    }

    /** Each member has this many lanes, or one more, and together they have all. */
    private static void awaitLanes(int each, Subscription... members) {
        Eventually.isTrue(() -> {
            for (Subscription member : members) {
                int lanes = member.stats().lanes();
                if (lanes < each || lanes > each + 1) {
                    return false;
                }
            }
            return true;
        });
    }

    private static int lanesOf(TestDatabase database, String who) throws SQLException {
        return number(
                database,
                "SELECT count(*) FROM baton.lane_status WHERE name = '" + ReaderProgram.BY_KEY + "' AND owner = '" + who
                        + "'");
    }

    private static void append(TestDatabase database, int rows) throws SQLException {
        database.execute("INSERT INTO baton.events (key, payload) SELECT 'key-' || n, '{}' FROM generate_series(1, "
                + rows + ") n");
    }

    private static int number(TestDatabase database, String sql) throws SQLException {
        return Integer.parseInt(database.one(sql));
    }
}
