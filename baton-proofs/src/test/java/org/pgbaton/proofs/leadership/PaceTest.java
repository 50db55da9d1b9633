package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Contention;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.leadership.LeadershipLostException;
import org.pgbaton.leadership.Term;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A job runs at most once in a period, however many processes ask for it; the database's clock and row decide. */
@BatonTest
class PaceTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void whatWasDoneWithinThePeriodIsNotDoneAgainAndThatIsAValue(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            List<String> ran = new CopyOnWriteArrayList<>();
            assertThat(hourly(one).run(Contention.FAIL, term -> ran.add("one"))).isTrue();

            assertThat(hourly(two).run(Contention.FAIL, term -> ran.add("two"))).isFalse();
            assertThat(hourly(two).lead(Duration.ofSeconds(30)))
                    .isInstanceOfSatisfying(LeadershipAttempt.NotNow.class, notNow -> {
                        assertThat(notNow.by()).isEqualTo("one");
                        assertThat(notNow.endedWell()).isTrue();
                        assertThat(notNow.next()).isEqualTo(notNow.began().plus(HOUR));
                    });
            assertThat(ran).containsExactly("one");
        }
    }

    @Test
    void whenThePeriodIsOverByTheDatabasesClockItRunsAgain(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            hourly(baton).run(Contention.FAIL, term -> {});
            database.execute("UPDATE baton.leadership SET ran_at = ran_at - interval '1 h'");

            assertThat(hourly(baton).run(Contention.FAIL, term -> {})).isTrue();
        }
    }

    @Test
    void aStartThatOnlyAWrongClockCanHaveWrittenDoesNotStopTheJobForYears(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            hourly(baton).run(Contention.FAIL, term -> {});
            database.execute("UPDATE baton.leadership SET ran_at = ran_at + interval '1 year'");

            assertThat(hourly(baton).run(Contention.FAIL, term -> {})).isTrue();
        }
    }

    @Test
    void aRunThatFailedDoesNotCount(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            assertThatThrownBy(() -> hourly(baton).run(Contention.FAIL, term -> {
                        throw new IllegalStateException("no disk");
                    }))
                    .hasMessage("no disk");

            assertThat(hourly(baton).run(Contention.FAIL, term -> {})).isTrue();
        }
    }

    @Test
    void aRunWhoseSessionEndedDoesNotCountAlsoIfItSaysLaterThatItWasDone(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Term lost = hourly(one).lead();
            database.terminate("baton job one");
            try (Term next = hourly(two).lead()) {
                lost.done();
                lost.close();
                assertThat(lost.isRecorded()).isFalse();
                assertThatThrownBy(lost::confirm).isInstanceOf(LeadershipLostException.class);
                next.confirm();
            }
            assertThat(database.one("SELECT ran_at IS NULL FROM baton.leadership"))
                    .isEqualTo("t");
        }
    }

    @Test
    void aTermCountsOnlyIfItSaysThatItIsDone(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            hourly(baton).lead().close();

            Term term = hourly(baton).lead();
            term.done();
            term.close();
            assertThat(term.isRecorded()).isTrue();
            assertThat(hourly(baton).tryLead()).isInstanceOf(LeadershipAttempt.NotNow.class);
        }
    }

    @Test
    void aRestIsKeptAlsoAfterARunThatFailed(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            one.leadership("job").atLeastFor(HOUR).lead().close();

            assertThat(two.leadership("job").atMostEvery(Duration.ofMillis(1)).tryLead())
                    .isInstanceOfSatisfying(LeadershipAttempt.NotNow.class, notNow -> {
                        assertThat(notNow.by()).isEqualTo("one");
                        assertThat(notNow.endedWell()).isFalse();
                    });
        }
    }

    @Test
    void whoWaitsRunsWhenTheMomentHasCome(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("one")) {
            baton.leadership("job").atLeastFor(HOUR).lead().close();
            database.execute(
                    "UPDATE baton.leadership SET rest_from = clock_timestamp() - interval '1 h' + interval '1 s'");

            try (Term term = hourly(baton).lead()) {
                assertThat(database.one("SELECT since >= rest_from + rest_for FROM baton.leadership"))
                        .isEqualTo("t");
                term.confirm();
            }
        }
    }

    @Test
    void whoAsksForNoPaceRunsWheneverNobodyLeads(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Term term = hourly(baton).atLeastFor(HOUR).lead();
            term.done();
            term.close();

            assertThat(baton.leadership("job").tryLead().term()).hasValueSatisfying(Term::close);
        }
    }

    @Test
    void aPaceOfNothingMakesNoSense(TestDatabase database) {
        try (Baton baton = database.baton()) {
            assertThatThrownBy(() -> baton.leadership("job").atMostEvery(Duration.ZERO))
                    .hasMessage(
                            "atMostEvery PT0S makes no sense: give 1 ms to 366 days; without it a run may begin at any time.");
            assertThatThrownBy(() -> baton.leadership("job").atLeastFor(Duration.ofDays(400)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static Leadership hourly(Baton baton) {
        return baton.leadership("job").atMostEvery(HOUR);
    }
}
