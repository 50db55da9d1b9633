package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgbaton.proofs.subscription.HoldingProgram.NAME;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.proofs.subscription.HoldingProgram.Place;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Promise 3: a projection's writes and its checkpoint commit together or not at all. Promise 4: a process that lost its
 * lane, even one that was frozen and wakes up, cannot commit anything for it. Each test stops the owner at one point
 * between reading and committing. Its handler may take five minutes, and the next owner has to write the same row. The
 * next owner waits only for the lease.
 */
@BatonTest
class AFrozenOwnerCannotCommitTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String GATE = "INSERT ON public.handled FOR EACH ROW WHEN (new.key = 'hold')";

    @Test
    void whenItWasFrozenInTheHandler(TestDatabase database) throws Exception {
        prepare(database);
        try (JavaProcess first = HoldingProgram.start(database, "first", Place.IN_THE_HANDLER)) {
            first.await("RUNNING", SOON);
            append(database, 20);
            first.await("HOLDING", SOON);
            first.freeze();
            try (JavaProcess second = HoldingProgram.start(database, "second", Place.NOWHERE)) {
                second.await("COMMITTED", SOON);
                awaitAllHandled(database);
                first.thaw();
                first.say("go");
                first.await("FAILED", SOON);
                bothGoOn(database);
            }
        }
    }

    @Test
    void whenItWasFrozenWhileAStatementOfItsHandlerRan(TestDatabase database) throws Exception {
        prepare(database);
        try (JavaProcess first = HoldingProgram.start(database, "first", Place.IN_A_STATEMENT)) {
            first.await("RUNNING", SOON);
            append(database, 20);
            first.await("HOLDING", SOON);
            Eventually.isTrue(
                    () -> database.one("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(280)%' "
                                    + "AND pid <> pg_backend_pid() AND datname = current_database()")
                            .equals("1"));
            first.freeze();
            try (JavaProcess second = HoldingProgram.start(database, "second", Place.NOWHERE)) {
                second.await("COMMITTED", SOON);
                awaitAllHandled(database);
                first.say("go");
                first.thaw();
                first.await("FAILED", SOON);
                bothGoOn(database);
            }
        }
    }

    @Test
    void andASuccessorThatMayNotEndItsTransactionSaysForWhomItWaits(TestDatabase database) throws Exception {
        prepare(database);
        String stranger = "of_" + database.name();
        database.execute("CREATE ROLE " + stranger + " LOGIN SUPERUSER");
        try (JavaProcess first = HoldingProgram.start(database, "first", Place.IN_THE_HANDLER)) {
            first.await("RUNNING", SOON);
            append(database, 20);
            first.await("HOLDING", SOON);
            first.freeze();
            try (Baton baton = Baton.builder(database.urlFor(stranger))
                    .lease(Duration.ofSeconds(2))
                    .open()) {
                Subscription second = baton.subscription(NAME)
                        .on("events")
                        .project((message, connection) -> Handled.add(connection, NAME, List.of(message)))
                        .start();
                Eventually.isTrue(
                        SOON,
                        () -> String.valueOf(second.note()).contains("may not end it")
                                && second.note().contains("pg_terminate_backend("));
                // Several workers were frozen; the message names one of their transactions.
                String named = String.valueOf(second.note()).replaceFirst("(?s)^.*process (\\d+) .*$", "$1");
                assertThat(database.one(
                                "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid = "
                                        + named))
                        .isEqualTo("idle in transaction");
            }
        } finally {
            database.execute("DROP ROLE " + stranger);
        }
    }

    @Test
    void evenIfItsSuccessorHasNotCommittedAnythingYet(TestDatabase database) throws Exception {
        prepare(database);
        try (JavaProcess first = HoldingProgram.start(database, "first", Place.IN_THE_HANDLER)) {
            first.await("RUNNING", SOON);
            // One lane only. If there were others, one of them could have moved on, and its position alone would refuse
            // the zombie.
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('hold', '{}')");
            first.await("HOLDING", SOON);
            first.freeze();
            try (JavaProcess second = HoldingProgram.start(database, "second", Place.IN_THE_HANDLER)) {
                second.await("HOLDING", SOON);
                first.thaw();
                first.say("go");
                first.await("FAILED", SOON);
                second.say("go");
                second.await("COMMITTED", SOON);
                bothGoOn(database);
            }
        }
    }

    @Test
    void whenItWasFrozenBetweenItsLastStatementAndCommit(TestDatabase database) throws Exception {
        prepare(database);
        try (JavaProcess first = HoldingProgram.start(database, "first", Place.BEFORE_COMMIT)) {
            first.await("RUNNING", SOON);
            append(database, 20);
            first.await("HOLDING", SOON);
            first.freeze();
            try (JavaProcess second = HoldingProgram.start(database, "second", Place.NOWHERE)) {
                second.await("COMMITTED", SOON);
                awaitAllHandled(database);
                first.thaw();
                first.say("go");
                first.await("FAILED", SOON);
                bothGoOn(database);
            }
        }
    }

    @Test
    void andWhatItHadSentToBeCommittedCountsOnce(TestDatabase database) throws Exception {
        prepare(database);
        try (Gate gate = new Gate(database, GATE);
                JavaProcess first = HoldingProgram.start(database, "first", Place.NOWHERE)) {
            first.await("RUNNING", SOON);
            append(database, 20);
            gate.awaitCommit();
            first.freeze();
            try (JavaProcess second = HoldingProgram.start(database, "second", Place.NOWHERE)) {
                // The new owner has the lane's lock, but cannot lock its checkpoint before the commit has ended.
                Eventually.isTrue(() -> database.one("""
                                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                                   AND application_name = 'baton session second' AND query ~ 'take_lane|end_work'""").equals("1"));
                // Either the transaction ends by itself, or the new owner ends it after a while.
                gate.open();
                second.await("RUNNING", SOON);
                awaitAllHandled(database);
                first.thaw();
                bothGoOn(database);
            }
        }
    }

    @Test
    void whenItsSessionWasTerminatedWhileItsHandlerRan(TestDatabase database) throws Exception {
        prepare(database);
        try (JavaProcess first = HoldingProgram.start(database, "first", Place.IN_THE_HANDLER)) {
            first.await("RUNNING", SOON);
            append(database, 20);
            first.await("HOLDING", SOON);
            try (JavaProcess second = HoldingProgram.start(database, "second", Place.NOWHERE)) {
                second.await("RUNNING", SOON);
                Eventually.isTrue(() -> database.terminate("baton session first") >= 0
                        && database.one("SELECT owner FROM baton.lane_status WHERE lane = baton.lane_of('hold', 16)")
                                .equals("second"));
                awaitAllHandled(database);
                first.say("go");
                first.await("FAILED", SOON);
                bothGoOn(database);
            }
        }
    }

    @Test
    void evenIfItIsItsOwnSuccessor(TestDatabase database) throws Exception {
        prepare(database);
        try (JavaProcess only = HoldingProgram.start(database, "only", Place.IN_THE_HANDLER)) {
            only.await("RUNNING", SOON);
            append(database, 20);
            only.await("HOLDING", SOON);
            String before = database.one("SELECT max(epoch) FROM baton.checkpoint");
            assertThat(database.terminate("baton session only")).isEqualTo(1);
            // It takes the lanes again, under another epoch, while the first call of its handler still runs.
            Eventually.isTrue(() -> database.one("SELECT min(epoch) > " + before + " FROM baton.checkpoint")
                    .equals("t"));
            only.say("go");
            only.await("FAILED", SOON);
            awaitAllHandled(database);
            append(database, 20);
            awaitAllHandled(database);
            Eventually.isTrue(() -> database.one("SELECT lanes_owned FROM baton.subscription_status")
                    .equals("16"));
            check(database);
        }
    }

    @Test
    void andWhatItDoesNotKnowToBeCommittedCountsOnce(TestDatabase database) throws Exception {
        prepare(database);
        try (LossyProxy proxy = new LossyProxy(database);
                Baton baton =
                        Baton.builder(proxy.url()).lease(Duration.ofSeconds(2)).open()) {
            Set<Long> lost = ConcurrentHashMap.newKeySet();
            Subscription subscription = baton.subscription(NAME)
                    .on("events")
                    .order(MessageOrder.TOTAL)
                    .batch(10)
                    .project((message, connection) -> {
                        Handled.add(connection, NAME, List.of(message));
                        if (message.position() % 50 == 0 && lost.add(message.position())) {
                            proxy.loseTheAnswerToTheCommitOf(
                                    connection.unwrap(PGConnection.class).getBackendPID());
                        }
                    })
                    .start();
            append(database, 400);
            awaitAllHandled(database);
            assertThat(proxy.lost()).isGreaterThanOrEqualTo(5);
            assertThat(subscription.stats().failures()).isZero();
            check(database);
        }
    }

    @Test
    void andWhatIsStillBeingCommittedCountsOnce(TestDatabase database) throws Exception {
        prepare(database);
        PGSimpleDataSource pool = new PGSimpleDataSource();
        try (LossyProxy proxy = new LossyProxy(database);
                Gate gate = new Gate(database, GATE)) {
            pool.setUrl(proxy.url());
            try (Baton baton = Baton.builder(pool, database::connect).open()) {
                baton.subscription(NAME)
                        .on("events")
                        .project((message, connection) -> Handled.add(connection, NAME, List.of(message)))
                        .start();
                append(database, 20);
                gate.awaitCommit();
                // The session with the lanes' locks lives on, so the epoch stays the same. Only the position
                // distinguishes the two attempts.
                proxy.hangUp();
                Eventually.isTrue(() -> database.one("""
                                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                                   AND wait_event_type = 'Lock' AND query LIKE '%close_work%'""").equals("1"));
                gate.open();
                awaitAllHandled(database);
                append(database, 20);
                awaitAllHandled(database);
                check(database);
            }
        }
    }

    private static void prepare(TestDatabase database) throws SQLException {
        Handled.createTable(database);
        database.execute("""
                CREATE TABLE public.held (times integer);
                INSERT INTO public.held VALUES (0);
                CREATE TABLE public.went_back (lane integer, before bigint, after bigint);
                CREATE FUNCTION public.went_back() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN INSERT INTO public.went_back VALUES (new.lane, old.position, new.position); RETURN NULL; END $$;
                CREATE TRIGGER went_back AFTER UPDATE ON baton.checkpoint
                  FOR EACH ROW WHEN (new.position < old.position OR new.epoch < old.epoch) EXECUTE FUNCTION public.went_back()""");
    }

    /** Some rows of the key that brings the owner to a halt, and some of many others. */
    private static void append(TestDatabase database, int rows) throws SQLException {
        database.execute(
                "INSERT INTO baton.events (key, payload) SELECT CASE WHEN n % 5 = 0 THEN 'hold' ELSE 'key-' || n END, '{}'"
                        + " FROM generate_series(1, " + rows + ") n");
    }

    private static void awaitAllHandled(TestDatabase database) {
        Eventually.isTrue(SOON, () -> Handled.isComplete(database, NAME));
    }

    private static void bothGoOn(TestDatabase database) throws SQLException {
        Eventually.isTrue(
                SOON,
                () -> database.one("SELECT members FROM baton.subscription_status")
                        .equals("2"));
        append(database, 200);
        awaitAllHandled(database);
        check(database);
    }

    private static void check(TestDatabase database) throws SQLException {
        assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        assertThat(database.one("SELECT count(*) FROM public.went_back")).isEqualTo("0");
    }
}
