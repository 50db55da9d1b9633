package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.Contention;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.leadership.LeadershipChange;
import org.pgbaton.leadership.LeadershipHeldException;
import org.pgbaton.leadership.LeadershipLostException;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.leadership.Term;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** How a duty and its owner see standing by, leading, losing and handing over. */
@BatonTest
class CandidateTest {

    @Test
    void contentionIsTheCallersChoice(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Term term = one.leadership("job").lead();
            AtomicInteger performed = new AtomicInteger();

            assertThat(two.leadership("job").run(Contention.SKIP, t -> performed.incrementAndGet()))
                    .isFalse();
            assertThatThrownBy(() -> two.leadership("job").run(Contention.FAIL, t -> performed.incrementAndGet()))
                    .isInstanceOf(LeadershipHeldException.class)
                    .hasMessageContaining("held by one");
            assertThat(performed).hasValue(0);

            CompletableFuture<Boolean> standsBy =
                    async(() -> two.leadership("job").run(Contention.STAND_BY, t -> performed.incrementAndGet()));
            term.close();
            assertThat(standsBy.get(10, TimeUnit.SECONDS)).isTrue();
            assertThat(performed).hasValue(1);
        }
    }

    /** A listener that hears that the candidate leads can step down, even before the duty has begun. */
    @Test
    void steppingDownAtTheVeryBeginningIsHeard(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("one")) {
            for (int i = 0; i < 20; i++) {
                String name = "job " + i;
                CompletableFuture<Candidate> candidate = new CompletableFuture<>();
                CompletableFuture<Boolean> lost = new CompletableFuture<>();
                baton.addLeadershipListener(change -> {
                    if (change.leadership().equals(name) && change.to() == LeadershipState.LEADING) {
                        candidate.join().stepDown();
                    } else if (change.leadership().equals(name) && change.to() == LeadershipState.LOST) {
                        lost.complete(true);
                    }
                });
                candidate.complete(baton.leadership(name).campaign(term -> {}));

                assertThat(lost.get(30, TimeUnit.SECONDS)).isTrue();
                candidate.join().close();
            }
        }
    }

    @Test
    void waitingWithADeadlineEndsWithTheHolder(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            one.leadership("job").lead();
            long start = System.nanoTime();
            LeadershipAttempt attempt = two.leadership("job").lead(Duration.ofMillis(1500));
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(1500), Duration.ofSeconds(10));
            assertThat(((LeadershipAttempt.Held) attempt).holder().name()).isEqualTo("one");
        }
    }

    @Test
    void backingOffHoldsNoConnectionBetweenTwoTriesAndWinsInTheEnd(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Term term = one.leadership("job").lead();
            CompletableFuture<Term> wins = async(() -> two.leadership("job")
                    .backingOff(Duration.ofMillis(400), Duration.ofMillis(400))
                    .lead());
            String connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'baton job two%'";
            Eventually.isTrue(() -> database.one(connections).equals("1"));
            Eventually.isTrue(() -> database.one(connections).equals("0"));
            term.close();
            assertThat(wins.get(10, TimeUnit.SECONDS).epoch()).isGreaterThan(1);
        }
    }

    @Test
    void everyWaitIsInterruptible(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            one.leadership("job").lead();
            CountDownLatch waits = new CountDownLatch(1);
            two.addLeadershipListener(change -> waits.countDown());
            CompletableFuture<Throwable> ended = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                try {
                    two.leadership("job").lead();
                } catch (InterruptedException expected) {
                    ended.complete(expected);
                }
            });
            waiter.start();
            waits.await();
            waiter.interrupt();
            assertThat(ended.get(10, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
            // And it leaves the queue: nobody stands by any more.
            Eventually.isTrue(() -> one.leaderStatus().get(0).standbys().isEmpty());
        }
    }

    @Test
    void aDutyIsInterruptedWhenLeadershipIsLostAndPerformedAgainWhenItIsRegained(TestDatabase database)
            throws Exception {
        try (Baton baton = database.baton("me")) {
            BlockingQueue<String> story = new LinkedBlockingQueue<>();
            // A lease so long that only the loss itself can be the reason.
            Candidate candidate = baton.leadership("job")
                    .lease(Duration.ofMinutes(5))
                    .campaign(term -> {
                        story.add("leading " + term.epoch());
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException lost) {
                            story.add("interrupted in " + term.epoch() + " " + term.state());
                            throw lost;
                        }
                    });
            assertThat(story.poll(10, TimeUnit.SECONDS)).isEqualTo("leading 1");
            database.terminate("baton job me");
            assertThat(story.poll(20, TimeUnit.SECONDS)).isEqualTo("interrupted in 1 LOST");
            assertThat(story.poll(20, TimeUnit.SECONDS)).isEqualTo("leading 2");
            assertThat(candidate.state()).isEqualTo(LeadershipState.LEADING);
            candidate.close(Duration.ZERO); // otherwise close would wait for the duty for as long as the lease
        }
    }

    @Test
    void aLeaderWhoseBackendIsEndedKnowsItLongBeforeItsNextHeartbeat(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            Term term = baton.leadership("job").lease(Duration.ofMinutes(5)).lead();
            database.terminate("baton job me");
            assertThat(term.whenOver().get(5, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void aTaskThatRunsWhileLeadingIsToldOfTheLoss(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            CountDownLatch begun = new CountDownLatch(1);
            CompletableFuture<Boolean> run = async(() -> baton.leadership("job").run(Contention.FAIL, term -> {
                begun.countDown();
                new CountDownLatch(1).await();
            }));
            begun.await();
            database.terminate("baton job me");
            assertThatThrownBy(() -> run.get(20, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(InterruptedException.class)
                    .cause()
                    .cause()
                    .isInstanceOf(LeadershipLostException.class);
        }
    }

    @Test
    void aDutyThatReturnsLeavesTheCandidateLeading(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            CountDownLatch returned = new CountDownLatch(1);
            Candidate candidate = baton.leadership("job").campaign(term -> returned.countDown());
            returned.await();
            assertThat(baton.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Held.class);
            assertThat(candidate.state()).isEqualTo(LeadershipState.LEADING);
        }
    }

    @Test
    void aDutyThatThrowsStepsDownLetsAnotherWinAndStandsByAgain(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            CountDownLatch go = new CountDownLatch(1);
            Candidate first = one.leadership("job").campaign(term -> {
                go.await();
                throw new IllegalStateException("out of paper");
            });
            Eventually.isTrue(() -> first.term() != null);
            Candidate second = two.leadership("job").campaign(term -> {});
            Eventually.isTrue(() -> two.leaderStatus().get(0).standbys().size() == 1);
            go.countDown();
            Eventually.isTrue(() -> second.state() == LeadershipState.LEADING);
            assertThat(first.health().problem()).contains("out of paper");
            assertThat(one.health().isHealthy()).isFalse();
            Eventually.isTrue(() -> two.leaderStatus().get(0).standbys().size() == 1);
        }
    }

    @Test
    void closingDrainsTheDuty(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            CountDownLatch begun = new CountDownLatch(1);
            CompletableFuture<String> finished = new CompletableFuture<>();
            Candidate candidate = baton.leadership("job").campaign(term -> {
                begun.countDown();
                while (term.isLeading()) {
                    Thread.onSpinWait();
                }
                try {
                    Thread.sleep(300); // the rest of its work takes a while
                    finished.complete("in good order, " + term.state());
                } catch (InterruptedException cut) {
                    finished.complete("cut off");
                }
            });
            begun.await();
            candidate.close(Duration.ofSeconds(60));
            assertThat(finished).isCompletedWithValue("in good order, LEADING");
            assertThat(baton.leaderStatus().get(0).holder()).isNull();
            candidate.close();
        }
    }

    /** This also holds if the server has not ended the session yet. Forty rounds are enough to meet that case. */
    @Test
    void whatIsReleasedIsFreeAtOnce(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me");
                Baton other = database.baton("other")) {
            for (int i = 0; i < 40; i++) {
                baton.leadership("job").lead().close();
                assertThat(other.leaderStatus().get(0).holder())
                        .as("round %s", i)
                        .isNull();
            }
        }
    }

    @Test
    void closingInterruptsADutyThatDoesNotDrain(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            CountDownLatch begun = new CountDownLatch(1);
            CompletableFuture<String> finished = new CompletableFuture<>();
            Candidate candidate = baton.leadership("job").campaign(term -> {
                begun.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException told) {
                    finished.complete("interrupted");
                }
            });
            begun.await();
            candidate.close(Duration.ofMillis(50));
            assertThat(finished).isCompletedWithValue("interrupted");
        }
    }

    @Test
    void closingAbandonsADutyThatIgnoresEverythingBehindTheFence(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch release = new CountDownLatch(1);
            CompletableFuture<Throwable> late = new CompletableFuture<>();
            Candidate candidate = one.leadership("job").campaign(term -> {
                begun.countDown();
                while (release.getCount() > 0) {
                    Thread.onSpinWait();
                }
                try (var connection = database.connect()) {
                    connection.setAutoCommit(false);
                    term.guard(connection);
                } catch (LeadershipLostException refused) {
                    late.complete(refused);
                }
            });
            begun.await();
            candidate.close(Duration.ofMillis(50));
            assertThat(two.leadership("job").lead(Duration.ofSeconds(5))).isInstanceOf(LeadershipAttempt.Leading.class);
            release.countDown();
            assertThat(late.get(10, TimeUnit.SECONDS)).isInstanceOf(LeadershipLostException.class);
        }
    }

    @Test
    void aDutyCanStepDownByItself(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            CountDownLatch go = new CountDownLatch(1);
            Candidate first = one.leadership("job").campaign(term -> {
                go.await();
                term.stepDown();
            });
            Eventually.isTrue(() -> first.state() == LeadershipState.LEADING);
            Candidate second = two.leadership("job").campaign(term -> {});
            Eventually.isTrue(() -> two.leaderStatus().get(0).standbys().size() == 1);
            go.countDown();
            Eventually.isTrue(() -> second.state() == LeadershipState.LEADING);
            assertThat(second.term().epoch()).isGreaterThan(1);
        }
    }

    @Test
    void listenersAreToldEveryChangeInOrderAndMayFail(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Term first = one.leadership("job").lead();
            BlockingQueue<LeadershipChange> changes = new LinkedBlockingQueue<>();
            two.addLeadershipListener(change -> {
                throw new IllegalStateException("not my day");
            });
            two.addLeadershipListener(changes::add);
            Candidate candidate = two.leadership("job").campaign(term -> {});
            assertThat(next(changes).to()).isEqualTo(LeadershipState.STANDBY);
            first.close();
            LeadershipChange leading = next(changes);
            assertThat(leading.to()).isEqualTo(LeadershipState.LEADING);
            assertThat(leading.epoch()).isGreaterThan(1);
            assertThat(leading.takeover()).isNotNull().isLessThan(Duration.ofSeconds(5));
            candidate.close();
            assertThat(next(changes).to()).isEqualTo(LeadershipState.LOST);
        }
    }

    @Test
    void statusShowsLeadersStandbysAndTheLastTakeover(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two");
                Baton three = database.baton("three")) {
            Term first = one.leadership("job").lead();
            List<Candidate> others = List.of(
                    two.leadership("job").campaign(term -> {}),
                    three.leadership("job").campaign(term -> {}));
            Eventually.isTrue(() -> one.leaderStatus().get(0).standbys().size() == 2);
            assertThat(one.leaderStatus().get(0).standbys())
                    .containsExactlyInAnyOrder("baton job two", "baton job three");
            first.close();
            Eventually.isTrue(() -> others.stream().anyMatch(each -> each.state() == LeadershipState.LEADING));
            var status = one.leaderStatus().get(0);
            assertThat(status.epoch()).isGreaterThan(1);
            assertThat(status.previousHolder()).isEqualTo("one");
            assertThat(status.vacantFor()).isNotNull();
            assertThat(status.changes()).isEqualTo(2);
            assertThat(status.standbys()).hasSize(1);
        }
    }

    @Test
    void aCandidateOutlivesARestartOfTheDatabaseEvenIfItWasDownAtTheStart(TestDatabase unused) throws Exception {
        try (var server = org.pgbaton.testkit.TestServer.start(java.util.Map.of());
                TestDatabase database = server.newDatabase();
                Baton baton = database.baton("me")) {
            server.postgres().stop(org.pgbaton.embedded.StopMode.FAST);
            Candidate candidate = baton.leadership("job").campaign(term -> {});
            Eventually.isTrue(() -> candidate.health().problem() != null);
            server.postgres().start();
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
            server.postgres().stop(org.pgbaton.embedded.StopMode.IMMEDIATE);
            Eventually.isTrue(() -> candidate.state() != LeadershipState.LEADING);
            server.postgres().start();
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
            assertThat(candidate.term().epoch()).isGreaterThan(1);
            assertThat(candidate.health().isHealthy()).isTrue();
        }
    }

    private static LeadershipChange next(BlockingQueue<LeadershipChange> changes) throws InterruptedException {
        LeadershipChange change = changes.poll(20, TimeUnit.SECONDS);
        assertThat(change).isNotNull();
        return change;
    }

    private interface Thrower<T> {
        T call() throws Exception;
    }

    private static <T> CompletableFuture<T> async(Thrower<T> work) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return work.call();
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        });
    }
}
