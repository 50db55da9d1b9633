package org.pgbaton.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.leadership.LeadershipLostException;
import org.pgbaton.leadership.Term;
import org.pgbaton.proofs.schedule.StoppedClock;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** The claim of a due time itself: who may, and how many. In the package of the library, because nobody else can claim. */
@BatonTest
class ClaimTest {
    private static final Instant DUE = Instant.parse("2031-05-01T03:00:00Z");
    private static final Instant NEXT = Instant.parse("2031-05-02T03:00:00Z");
    private static final DueTimes TIMES = DueTimes.of("0 3 * * *", ZoneOffset.UTC);

    @Test
    void ofEightThatClaimTheSameDueTimeAtOnceOneWins(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T00:00:00Z");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (Baton baton = database.baton();
                Term term = baton.leadership("nightly").lead();
                Connection holder = database.connect()) {
            ScheduleRow row = new ScheduleRow(baton, "nightly");
            row.begin(term, TIMES, Missed.SKIP);
            clock.set(DUE);
            // All of them have passed the guard, and wait for the row, before the first can change it.
            holder.setAutoCommit(false);
            holder.createStatement().execute("SELECT FROM baton.schedule FOR UPDATE");
            List<CompletableFuture<Boolean>> claims = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                claims.add(CompletableFuture.supplyAsync(() -> row.claim(term, DUE, DUE, NEXT, true), threads));
            }
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> database.one("""
                            SELECT count(*) FROM pg_stat_activity
                             WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE%schedule%'""").equals("8"));
            holder.rollback();

            assertThat(claims.stream().map(CompletableFuture::join).filter(won -> won))
                    .hasSize(1);
        } finally {
            threads.shutdownNow();
        }
        assertThat(database.one("SELECT count(*) FROM baton.schedule_run")).isEqualTo("1");
    }

    @Test
    void aDueTimeThatHasNotComeByTheDatabasesClockCannotBeClaimed(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T02:59:59.999Z");
        try (Baton baton = database.baton();
                Term term = baton.leadership("nightly").lead()) {
            ScheduleRow row = new ScheduleRow(baton, "nightly");
            row.begin(term, TIMES, Missed.SKIP);

            assertThat(row.claim(term, DUE, DUE, NEXT, true)).isFalse();
            clock.set(DUE);
            assertThat(row.claim(term, DUE, DUE, NEXT, true)).isTrue();
            assertThat(row.claim(term, DUE, DUE, NEXT, true)).isFalse();
        }
    }

    @Test
    void anOwnerWhoWasReplacedCanNeitherClaimNorRecordNorBegin(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T00:00:00Z");
        try (Baton baton = database.baton();
                Term term = baton.leadership("nightly")
                        .lease(Duration.ofMinutes(10))
                        .lead()) {
            ScheduleRow row = new ScheduleRow(baton, "nightly");
            row.begin(term, TIMES, Missed.SKIP);
            clock.set(DUE);
            assertThat(row.claim(term, DUE, DUE, NEXT, true)).isTrue();
            // A frozen process does not hear of it before its next sign of life, minutes later.
            database.execute("SELECT baton.take_epoch(id, 'another', 1000) FROM baton.leadership");
            clock.set(NEXT);
            assertThat(term.isLeading()).isTrue();

            assertThatThrownBy(() -> row.claim(term, NEXT, NEXT, NEXT.plusSeconds(86400), true))
                    .isInstanceOf(LeadershipLostException.class);
            assertThatThrownBy(() -> row.end(term, DUE, Outcome.DONE, null))
                    .isInstanceOf(LeadershipLostException.class);
            assertThatThrownBy(() -> row.begin(term, TIMES, Missed.ONCE)).isInstanceOf(LeadershipLostException.class);
        }
        assertThat(database.one("SELECT string_agg(outcome, ' ') FROM baton.schedule_run"))
                .isEqualTo("running");
        assertThat(database.one("SELECT missed || (next_due = '2031-05-02 03:00Z') FROM baton.schedule"))
                .isEqualTo("skiptrue");
        assertThat(database.one("SELECT run_outcome FROM baton.schedule_status"))
                .isEqualTo("lost");
    }
}
