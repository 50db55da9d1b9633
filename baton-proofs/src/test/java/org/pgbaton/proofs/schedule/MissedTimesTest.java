package org.pgbaton.proofs.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.schedule.Missed;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** What happens with due times at which nobody was there, or the run before was still going on. */
@BatonTest
class MissedTimesTest {
    private static final String HALF_HOURLY = "0,30 * * * *";

    @Test
    void areSkippedAndTheNextDueTimeIsRun(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T03:10:00Z");
        Runs runs = new Runs(clock);
        startAndEnd(database, runs, Missed.SKIP);
        clock.set("2031-05-01T05:15:00Z");
        try (Baton baton = database.baton()) {
            Runs.start(baton, HALF_HOURLY, Missed.SKIP, runs);

            Runs.awaitRecorded(database, "01 05:00 missed");
            Runs.awaitNextDue(database, "01 05:30");
            assertThat(runs.seen()).isEmpty();
        }
        clock.set("2031-05-01T05:30:00Z");
        try (Baton baton = database.baton()) {
            Runs.start(baton, HALF_HOURLY, Missed.SKIP, runs);
            runs.await("2031-05-01T05:30:00Z");
        }
    }

    @Test
    void areRunOnceForAllOfThemIfThePolicySaysSo(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T03:10:00Z");
        Runs runs = new Runs(clock);
        startAndEnd(database, runs, Missed.ONCE);
        clock.set("2031-05-01T05:15:00Z");
        try (Baton baton = database.baton()) {
            Runs.start(baton, HALF_HOURLY, Missed.ONCE, runs);

            runs.await("2031-05-01T05:00:00Z");
            Runs.awaitRecorded(database, "01 05:00 done");
            Runs.awaitNextDue(database, "01 05:30");
        }
        assertThat(runs.seen()).hasSize(1);
    }

    /** Otherwise a leader that dies a second before three would cost the night. */
    @Test
    void aTimeThatCameDuringATakeoverIsNotMissed(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T03:10:00Z");
        Runs runs = new Runs(clock);
        startAndEnd(database, runs, Missed.SKIP);
        clock.set("2031-05-01T04:30:59Z");
        try (Baton baton = database.baton()) {
            Runs.start(baton, HALF_HOURLY, Missed.SKIP, runs);

            runs.await("2031-05-01T04:30:00Z");
        }
    }

    @Test
    void aTimeThatComesWhileTheRunBeforeGoesOnIsSkipped(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T02:59:59.950Z");
        CountDownLatch over = new CountDownLatch(1);
        Runs runs = new Runs(clock);
        try (Baton baton = database.baton()) {
            Runs.start(baton, "* * * * *", Missed.SKIP, (term, due) -> {
                runs.perform(term, due);
                over.await();
            });
            Runs.awaitNextDue(database, "01 03:00");
            clock.set("2031-05-01T03:00:00Z");
            runs.await("2031-05-01T03:00:00Z");
            clock.set("2031-05-01T03:02:20Z"); // twenty seconds late, which would be on time if nothing had run
            over.countDown();

            Runs.awaitRecorded(database, "01 03:00 done, 01 03:02 missed");
            Runs.awaitNextDue(database, "01 03:03");
        }
        assertThat(runs.seen()).hasSize(1);
    }

    @Test
    void orRunOnceWhenThatRunHasEnded(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T02:59:59.950Z");
        CountDownLatch over = new CountDownLatch(1);
        Runs runs = new Runs(clock);
        try (Baton baton = database.baton()) {
            Runs.start(baton, "* * * * *", Missed.ONCE, (term, due) -> {
                runs.perform(term, due);
                over.await();
            });
            Runs.awaitNextDue(database, "01 03:00");
            clock.set("2031-05-01T03:00:00Z");
            runs.await("2031-05-01T03:00:00Z");
            clock.set("2031-05-01T03:02:20Z");
            over.countDown();

            runs.await("2031-05-01T03:00:00Z", "2031-05-01T03:02:00Z");
            Runs.awaitRecorded(database, "01 03:00 done, 01 03:02 done");
        }
    }

    private static void startAndEnd(TestDatabase database, Runs runs, Missed missed) {
        try (Baton baton = database.baton()) {
            Runs.start(baton, HALF_HOURLY, missed, runs);
            Runs.awaitNextDue(database, "01 03:30");
        }
    }
}
