package org.pgbaton.chaos.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The time from a blow until the last of what the victim owned belongs to somebody else. */
class TakeoverTest {
    private final List<Look> looks = new ArrayList<>();
    private final List<RoundEntry.Event> events = new ArrayList<>();

    private void lane(int lane, long millis, @Nullable String owner, long epoch) {
        looks.add(new Look(millis, Look.Kind.SUBSCRIPTION, "projection", lane, owner, epoch));
    }

    private void leader(long millis, @Nullable String owner, long epoch) {
        looks.add(new Look(millis, Look.Kind.LEADERSHIP, "job", 0, owner, epoch));
    }

    private void event(long millis, String what) {
        events.add(new RoundEntry.Event(millis, what));
    }

    private @Nullable Long takeover() {
        return Takeover.millis(events, TimeLine.of(looks, List.of()));
    }

    @Test
    void ofAKilledProcessTheLastLaneCounts() {
        lane(0, 900, "worker-1", 1);
        lane(1, 900, "worker-1", 2);
        lane(2, 900, "worker-2", 3);
        event(1_000, "kill -9 worker-1");
        lane(0, 1_050, "worker-1", 1);
        lane(0, 1_200, "worker-2", 4);
        lane(1, 1_200, null, 2);
        lane(1, 1_300, "worker-0", 5);
        lane(2, 1_400, "worker-0", 6);
        event(2_000, "started again");
        assertThat(takeover()).isEqualTo(300);
    }

    @Test
    void theNextProcessOfTheSameNameHasANewEpoch() {
        leader(900, "worker-1", 1);
        event(1_000, "kill -9 worker-1");
        leader(1_100, "worker-1", 1);
        leader(1_200, null, 1);
        leader(1_700, "worker-1", 2);
        assertThat(takeover()).isEqualTo(700);
    }

    @Test
    void ofAllProcessesEveryOwnerIsAVictim() {
        lane(0, 900, "worker-1", 1);
        leader(900, "worker-2", 2);
        event(1_000, "kill -9 of all");
        lane(0, 1_300, "worker-1", 3);
        leader(1_400, "worker-2", 4);
        assertThat(takeover()).isEqualTo(400);
    }

    @Test
    void ofAllProcessesOneThatIsKilledLaterTakesNothingOver() {
        lane(0, 900, "worker-1", 1);
        leader(900, "worker-0", 2);
        event(1_000, "kill -9 of all");
        leader(1_050, "worker-2", 3);
        lane(0, 1_050, null, 1);
        lane(0, 1_150, null, 1);
        leader(1_150, null, 3);
        lane(0, 1_600, "worker-0", 4);
        leader(1_650, null, 3);
        leader(1_700, "worker-2", 5);
        assertThat(takeover()).isEqualTo(700);
    }

    @Test
    void ofAFrozenProcessTheLanesItLostCount() {
        lane(0, 900, "worker-1", 1);
        event(1_000, "SIGSTOP of worker-1");
        lane(0, 1_400, "worker-1", 1);
        lane(0, 1_900, "worker-1", 1);
        lane(0, 2_400, "worker-1", 1);
        lane(0, 2_900, "worker-1", 1);
        lane(0, 3_100, null, 1);
        lane(0, 3_200, "worker-2", 2);
        event(5_000, "SIGCONT");
        assertThat(takeover()).isEqualTo(2_200);
    }

    @Test
    void whatAFrozenProcessKeptIsNoTakeoverEvenIfItMovesLater() {
        lane(0, 900, "worker-1", 1);
        event(1_000, "SIGSTOP of worker-1");
        lane(0, 1_300, "worker-1", 1);
        event(1_500, "SIGCONT");
        lane(0, 1_600, "worker-1", 1);
        lane(0, 1_900, "worker-2", 2);
        assertThat(takeover()).isNull();
    }

    @Test
    void ofAProcessThatIsCutOffTheLanesItLostCount() {
        lane(0, 900, "worker-1", 1);
        event(1_000, "cut of worker-1");
        lane(0, 1_400, "worker-1", 1);
        lane(0, 1_900, "worker-1", 1);
        lane(0, 2_400, "worker-2", 2);
        event(5_000, "mended");
        assertThat(takeover()).isEqualTo(1_400);
    }

    @Test
    void ofSeveralBlowsTheLongestTakeoverCounts() {
        leader(900, "worker-1", 1);
        event(1_000, "kill -9 worker-1");
        leader(1_100, "worker-2", 2);
        event(1_500, "kill -9 worker-2");
        leader(2_300, "worker-0", 3);
        assertThat(takeover()).isEqualTo(800);
    }

    @Test
    void aProcessThatOwnedNothingLeavesNothingToTakeOver() {
        leader(900, "worker-1", 1);
        event(1_000, "kill -9 worker-2");
        leader(1_100, "worker-1", 1);
        assertThat(takeover()).isNull();
    }

    @Test
    void whatFindsNoOwnerHasNoTakeoverTime() {
        lane(0, 900, "worker-1", 1);
        lane(1, 900, "worker-1", 2);
        event(1_000, "kill -9 worker-1");
        lane(0, 1_100, "worker-2", 3);
        lane(1, 1_100, null, 2);
        assertThat(takeover()).isNull();
    }

    @Test
    void otherEventsAreNoBlows() {
        leader(900, "worker-1", 1);
        event(1_000, "end of worker-1");
        event(1_000, "PostgreSQL restarts (fast)");
        leader(1_100, "worker-2", 2);
        assertThat(takeover()).isNull();
    }
}
