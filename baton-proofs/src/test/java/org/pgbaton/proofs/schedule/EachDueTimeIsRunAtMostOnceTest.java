package org.pgbaton.proofs.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.SchemaName;
import org.pgbaton.schedule.Missed;
import org.pgbaton.schedule.Outcome;
import org.pgbaton.schedule.ScheduleStatus;
import org.pgbaton.schedule.Schedules;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** However many processes start a schedule, and whoever of them dies: each due time is run once, by one of them. */
@BatonTest
class EachDueTimeIsRunAtMostOnceTest {
    @Test
    void ofManyProcessesOneRunsItAndAnotherGoesOnWhenThatOneIsGone(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T02:59:59.950Z");
        Runs runs = new Runs(clock);
        List<Baton> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                Baton baton = database.baton("host-" + i);
                processes.add(baton);
                Runs.start(baton, "* * * * *", Missed.SKIP, runs);
            }
            Runs.awaitNextDue(database, "01 03:00");
            assertThat(runs.seen()).isEmpty();

            clock.set("2031-05-01T03:00:00Z");
            runs.await("2031-05-01T03:00:00Z");
            Runs.awaitRecorded(database, "01 03:00 done");

            // The leader's session is ended: somebody else, or the same process again, goes on.
            assertThat(database.terminate("baton nightly%")).isPositive();
            clock.set("2031-05-01T03:01:00Z");
            runs.await("2031-05-01T03:00:00Z", "2031-05-01T03:01:00Z");
            Runs.awaitRecorded(database, "01 03:00 done, 01 03:01 done");

            leader(processes).close();
            clock.set("2031-05-01T03:02:00Z");
            runs.await("2031-05-01T03:00:00Z", "2031-05-01T03:01:00Z", "2031-05-01T03:02:00Z");
            Runs.awaitRecorded(database, "01 03:00 done, 01 03:01 done, 01 03:02 done");
        } finally {
            processes.forEach(Baton::close);
        }
        assertThat(runs.seen()).hasSize(3);
    }

    private static Baton leader(List<Baton> processes) throws Exception {
        String holder = processes.get(0).leaderStatus().get(0).holder();
        return processes.stream()
                .filter(each -> each.who().equals(holder))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aRunThatFailedIsRecordedWithItsErrorAndTheNextDueTimeIsRun(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T03:00:59.950Z");
        Runs runs = new Runs(clock);
        try (Baton baton = database.baton("host-1")) {
            Runs.start(baton, "* * * * *", Missed.SKIP, (term, due) -> {
                runs.perform(term, due);
                if (due.toString().equals("2031-05-01T03:01:00Z")) {
                    throw new IllegalStateException("no paper\0, no ink \ud800");
                }
            });
            Runs.awaitNextDue(database, "01 03:01");
            clock.set("2031-05-01T03:01:00Z");
            runs.await("2031-05-01T03:01:00Z");
            Runs.awaitRecorded(database, "01 03:01 failed java.lang.IllegalStateException: no paper , no ink ?");

            clock.set("2031-05-01T03:02:00Z");
            runs.await("2031-05-01T03:01:00Z", "2031-05-01T03:02:00Z");
            Runs.eventually(() -> {
                ScheduleStatus status = Schedules.of(baton).status().get(0);
                assertThat(status.nextDue()).hasToString("2031-05-01T03:03:00Z");
                assertThat(status.lastRun()).isNotNull();
                assertThat(status.lastRun().outcome()).isEqualTo(Outcome.DONE);
                assertThat(status.lastRun().by()).isEqualTo("host-1");
            });
        }
    }

    @Test
    void theHistoryIsBounded(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T02:59:59.950Z");
        Runs runs = new Runs(clock);
        try (Baton baton = database.baton()) {
            Runs.start(baton, "* * * * *", Missed.SKIP, runs);
            Runs.awaitNextDue(database, "01 03:00");
            database.execute("""
                    INSERT INTO baton.schedule_run (schedule, due, epoch, who, outcome)
                    SELECT 'nightly', timestamptz '2031-04-01 00:00Z' + n * interval '1 minute', 1, 'x', 'done' FROM generate_series(1, 500) n""");
            clock.set("2031-05-01T03:00:00Z");
            runs.await("2031-05-01T03:00:00Z");
        }
        assertThat(database.one("SELECT count(*) || ' ' || max(due)::date FROM baton.schedule_run"))
                .isEqualTo("100 2031-05-01");
    }

    @Test
    void anotherExpressionBeginsWithItsOwnNextDueTime(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T02:59:59.950Z");
        Runs runs = new Runs(clock);
        try (Baton baton = database.baton()) {
            Runs.start(baton, "* * * * *", Missed.ONCE, runs);
            Runs.awaitNextDue(database, "01 03:00");
        }
        clock.set("2031-05-01T09:30:00Z");
        try (Baton baton = database.baton()) {
            Runs.start(baton, "0 4 * * *", Missed.ONCE, runs);
            Runs.awaitNextDue(database, "02 04:00");
        }
        assertThat(runs.seen()).isEmpty();
    }

    @Test
    void aWorkerMayRunSchedulesAndAReaderMayNot(TestDatabase database) throws Exception {
        database.execute(Baton.rolesScript(SchemaName.DEFAULT));
        database.execute("CREATE ROLE sw LOGIN IN ROLE baton_worker; CREATE ROLE sr LOGIN IN ROLE baton_read");
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T02:59:59.950Z");
        Runs runs = new Runs(clock);
        try (Baton worker = Baton.open(database.urlFor("sw"));
                Baton reader = Baton.open(database.urlFor("sr"))) {
            Runs.start(worker, "* * * * *", Missed.SKIP, runs);
            Runs.awaitNextDue(database, "01 03:00");
            clock.set("2031-05-01T03:00:00Z");
            Runs.awaitRecorded(database, "01 03:00 done");

            assertThat(Schedules.of(reader).status()).hasSize(1);
            assertThat(database.one("""
                    SELECT string_agg(privilege_type, ' ' ORDER BY privilege_type) FROM information_schema.role_table_grants
                     WHERE table_name IN ('schedule', 'schedule_run') AND grantee = 'baton_read'""")).isEqualTo("SELECT SELECT");
        } finally {
            database.execute("DROP OWNED BY sw, sr; DROP ROLE sw, sr");
        }
    }
}
