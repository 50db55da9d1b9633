package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.Contention;
import org.pgbaton.leadership.LeadershipLostException;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.leadership.Term;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Duties, callbacks and drivers that misbehave. Leadership is kept or given up; a lock never stays behind without a
 * leader.
 */
@BatonTest
class DutyTroubleTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    @Test
    void aDutyThatThrowsAnErrorStepsDownAndAnotherWins(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            CountDownLatch go = new CountDownLatch(1);
            Candidate first = one.leadership("job").campaign(term -> {
                go.await();
                throw new StackOverflowError("too deep");
            });
            Eventually.isTrue(() -> first.state() == LeadershipState.LEADING);
            Candidate second = two.leadership("job").campaign(term -> {});
            awaitStandby(two);
            go.countDown();
            Eventually.isTrue(() -> second.state() == LeadershipState.LEADING);
            assertThat(first.health().problem()).contains("too deep");
            awaitStandby(two);
        }
    }

    @Test
    void aDutyThatGaveUpWhileSuspendedIsPerformedAgainAlthoughTrustCameBack(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me");
                Connection lock = database.connect();
                Connection work = database.connect()) {
            BlockingQueue<String> story = new LinkedBlockingQueue<>();
            lock.setAutoCommit(false);
            work.setAutoCommit(false);
            baton.leadership("job").lease(Duration.ofSeconds(4)).campaign(term -> {
                story.add("epoch " + term.epoch());
                if (term.epoch() > 1) {
                    return;
                }
                // While the test holds this lock, the heartbeat waits.
                execute(lock, "LOCK TABLE baton.leadership IN ACCESS EXCLUSIVE MODE");
                awaitOnTheSpot(term, LeadershipState.SUSPENDED);
                try {
                    term.guard(work);
                } catch (LeadershipLostException refused) {
                    lock.rollback();
                    awaitOnTheSpot(term, LeadershipState.LEADING);
                    story.add("refused, and trusted again");
                    throw refused;
                }
            });
            assertThat(next(story)).isEqualTo("epoch 1");
            assertThat(next(story)).isEqualTo("refused, and trusted again");
            assertThat(next(story)).isEqualTo("epoch 2");
        }
    }

    /** Spins, because the state lasts only for a quarter of a second. */
    private static void awaitOnTheSpot(Term term, LeadershipState state) {
        while (term.state() != state && term.state() != LeadershipState.LOST) {
            Thread.onSpinWait();
        }
        assertThat(term.state()).isEqualTo(state);
    }

    @Test
    void aCallbackThatBlocksHoldsUpNobodyElse(TestDatabase database) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        List<String> told = new CopyOnWriteArrayList<>();
        try (Baton baton = database.baton("me")) {
            baton.addLeadershipListener(
                    change -> told.add(change.leadership() + " " + change.to() + " " + change.epoch()));
            Term other = baton.leadership("other").lease(LEASE).lead();
            long first = other.epoch() + 1; // all leaderships share one sequence
            Candidate candidate = baton.leadership("job").campaign(term -> {
                if (term.epoch() == first) {
                    var unused = term.whenOver().thenRun(() -> {
                        entered.countDown();
                        awaitUninterruptibly(release);
                    });
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        interrupted.countDown();
                    }
                }
            });
            Eventually.isTrue(() -> told.contains("job LEADING " + first));
            Eventually.isTrue(() -> isWaiting("baton-job-duty"));
            database.terminate("baton job me");
            assertThat(entered.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(interrupted.await(5, TimeUnit.SECONDS)).isTrue();
            Eventually.isTrue(() -> told.contains("job LEADING " + (first + 1)));
            assertThat(candidate.state()).isEqualTo(LeadershipState.LEADING);
            assertThat(other.isLeading()).isTrue();
            other.close();
            Eventually.isTrue(() -> told.contains("other LOST " + other.epoch()));
            assertThat(release.getCount()).isEqualTo(1);
        } finally {
            release.countDown();
        }
    }

    @Test
    void listenersHearOfOneTermAfterTheOtherHoweverSlowACallbackIs(TestDatabase database) throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        CountDownLatch third = new CountDownLatch(1);
        try (Baton baton = database.baton("me")) {
            baton.addLeadershipListener(change -> told.add(change.to() + " " + change.epoch()));
            baton.leadership("job").campaign(term -> {
                var unused = term.whenOver().thenRun(() -> awaitUninterruptibly(third));
            });
            assertThat(next(told)).isEqualTo("LEADING 1");
            database.terminate("baton job me");
            assertThat(next(told)).isEqualTo("LOST 1");
            assertThat(next(told)).isEqualTo("LEADING 2");
            database.terminate("baton job me");
            assertThat(next(told)).isEqualTo("LOST 2");
            assertThat(next(told)).isEqualTo("LEADING 3");
        } finally {
            third.countDown();
        }
    }

    @Test
    void aDutyThatReturnsWithItsInterruptFlagSetLeavesTheCandidateAlive(TestDatabase database) throws Exception {
        BlockingQueue<Long> epochs = new LinkedBlockingQueue<>();
        try (Baton baton = database.baton("me")) {
            Candidate candidate = baton.leadership("job").campaign(term -> {
                epochs.add(term.epoch());
                Thread.currentThread().interrupt();
            });
            for (long epoch = 1; epoch <= 3; epoch++) {
                assertThat(next(epochs)).isEqualTo(epoch);
                assertThat(candidate.health().isHealthy()).isTrue();
                assertThat(database.terminate("baton job me")).isEqualTo(1);
            }
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
        }
    }

    @Test
    void aDutyMayCloseItsTermWhileOthersCloseItToo(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            List<Thread> closers = new CopyOnWriteArrayList<>();
            boolean performed = baton.leadership("job").run(Contention.FAIL, term -> {
                for (int i = 0; i < 2; i++) {
                    closers.add(new Thread(() -> term.close(Duration.ofMinutes(1)), "closer-" + i));
                }
                closers.forEach(Thread::start);
                Eventually.isTrue(() -> isWaiting("closer-0") && isWaiting("closer-1"));
                term.close();
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
                assertThat(term.state()).isEqualTo(LeadershipState.LOST);
            });
            assertThat(performed).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            for (Thread closer : closers) {
                closer.join(10_000);
                assertThat(closer.isAlive()).isFalse();
            }
            Eventually.isTrue(() -> baton.leaderStatus().get(0).holder() == null);
        }
    }

    @Test
    void aDutyNeverStartsOnATermThatIsBeingReleased(TestDatabase database) throws Exception {
        AtomicInteger started = new AtomicInteger();
        Set<String> wrong = new HashSet<>();
        try (Baton baton = database.baton()) {
            BlockingQueue<String> won = new LinkedBlockingQueue<>();
            baton.addLeadershipListener(change -> {
                if (change.to() == LeadershipState.LEADING) {
                    won.add(change.leadership());
                }
            });
            long aim = 100_000;
            for (int round = 0; round < 150; round++) {
                int before = started.get();
                CompletableFuture<LeadershipState> atTheEnd = new CompletableFuture<>();
                Candidate candidate = baton.leadership("job" + round).campaign(term -> {
                    started.incrementAndGet();
                    while (term.isLeading()) {
                        Thread.onSpinWait();
                    }
                    // Closing waits for us, so the lock is still ours.
                    spin(2_000_000);
                    atTheEnd.complete(term.state());
                });
                assertThat(next(won)).isEqualTo("job" + round);
                // Aims at the moment the duty begins on this machine: earlier after a duty that began, later after one
                // that did not.
                spin(aim);
                candidate.close(Duration.ofSeconds(10));
                aim = Math.max(0, aim + (started.get() > before ? -20_000 : 20_000));
                if (atTheEnd.getNow(LeadershipState.LEADING) != LeadershipState.LEADING) {
                    wrong.add("round " + round);
                }
            }
        }
        assertThat(wrong).isEmpty();
        // Both must have occurred; otherwise the aim was off and the test shows nothing.
        assertThat(started.get()).isBetween(1, 149);
    }

    private static boolean isWaiting(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals(name))
                .anyMatch(each ->
                        Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(each.getState()));
    }

    private static void spin(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void awaitStandby(Baton observer) {
        Eventually.isTrue(() -> observer.leaderStatus().get(0).standbys().size() == 1);
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(20, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }
}
