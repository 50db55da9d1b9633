package org.pgbaton.proofs.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.schedule.Missed;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** A process that froze in a run is replaced. When it wakes up it changes nothing. */
@BatonTest
class AFrozenOwnerCannotRecordTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void anotherGoesOnAndTheRunStaysLost(TestDatabase database) throws Exception {
        StoppedClock clock = StoppedClock.at(database, "2031-05-01T02:59:59.950Z");
        Runs runs = new Runs(clock);
        try (JavaProcess frozen = ScheduleProgram.start(database, "frozen")) {
            Runs.awaitNextDue(database, "01 03:00");
            clock.set("2031-05-01T03:00:00Z");
            frozen.await("RUN 2031-05-01T03:00:00Z", PATIENCE);
            assertThat(Runs.recorded(database)).isEqualTo("01 03:00 running");
            frozen.freeze();
            clock.set("2031-05-01T03:01:00Z");
            try (Baton other = database.baton("other")) {
                Runs.start(other, "* * * * *", Missed.SKIP, runs);
                runs.await("2031-05-01T03:01:00Z");
                Runs.awaitRecorded(database, "01 03:00 lost, 01 03:01 done");

                frozen.thaw();
                frozen.say("end the run");
                frozen.await("RETURNED", PATIENCE);
                frozen.await("STANDBY", PATIENCE); // it has tried to record, and is a candidate again

                assertThat(Runs.recorded(database)).isEqualTo("01 03:00 lost, 01 03:01 done");
            }
        }
    }
}
