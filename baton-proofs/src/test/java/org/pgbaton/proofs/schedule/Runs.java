package org.pgbaton.proofs.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Term;
import org.pgbaton.schedule.Missed;
import org.pgbaton.schedule.Schedule;
import org.pgbaton.schedule.ScheduledDuty;
import org.pgbaton.schedule.Schedules;
import org.pgbaton.testkit.TestDatabase;

/** What was run, by whatever process of this JVM. Each run leaves the clock a moment before the next minute. */
final class Runs implements ScheduledDuty {
    static final String NAME = "nightly";

    private final StoppedClock clock;
    private final List<Instant> seen = new CopyOnWriteArrayList<>();

    Runs(StoppedClock clock) {
        this.clock = clock;
    }

    @Override
    public void perform(Term term, Instant due) throws Exception {
        clock.setJustBefore(due.plusSeconds(60));
        seen.add(due); // last: then the clock is the test's
    }

    static Schedule start(Baton baton, String cron, Missed missed, ScheduledDuty duty) {
        return Schedules.of(baton)
                .schedule(NAME)
                .cron(cron, ZoneOffset.UTC)
                .missed(missed)
                .lease(Duration.ofSeconds(2))
                .run(duty);
    }

    void await(String... due) {
        List<Instant> expected = List.of(due).stream().map(Instant::parse).toList();
        eventually(() -> assertThat(seen).containsExactlyElementsOf(expected));
    }

    List<Instant> seen() {
        return List.copyOf(seen);
    }

    /** All runs in the table, oldest first: due (minutes), outcome, error. */
    static void awaitRecorded(TestDatabase database, String expected) {
        eventually(() -> assertThat(recorded(database)).isEqualTo(expected));
    }

    static String recorded(TestDatabase database) throws Exception {
        return database.one("""
                SELECT string_agg(concat_ws(' ', to_char(due AT TIME ZONE 'UTC', 'DD HH24:MI'), outcome, error), ', ' ORDER BY due)
                  FROM baton.schedule_run""");
    }

    static void awaitNextDue(TestDatabase database, String expected) {
        eventually(() -> assertThat(
                        database.one("SELECT to_char(next_due AT TIME ZONE 'UTC', 'DD HH24:MI') FROM baton.schedule"))
                .isEqualTo(expected));
    }

    static void eventually(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(assertion);
    }
}
