package org.pgbaton.chaos.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.targets.Arrival;
import org.pgbaton.chaos.verdict.Violation.Invariant;

/** Every mistake that a history can show is found; a history without one is clean. */
class InvariantsTest {
    private static final Expected EXPECTED = new Expected(
            Map.of("projection", false, "total", true),
            Map.of("webhook", false),
            "",
            Set.of("projection"),
            Set.of("c"),
            1,
            false,
            true);

    /** Nothing has to go on while something is struck. */
    private static final Expected QUIET =
            new Expected(EXPECTED.projections(), EXPECTED.targets(), "", Set.of(), Set.of(), 1, false, true);

    private final List<History.Written> written = new ArrayList<>(List.of(
            new History.Written(1, "a", "id-1"),
            new History.Written(2, "b", "id-2"),
            new History.Written(3, "a", "id-3")));
    private final List<History.Effect> effects = new ArrayList<>();
    private final List<Arrival> arrivals = new ArrayList<>();
    private final List<History.Guarded> guarded =
            new ArrayList<>(List.of(new History.Guarded(1, "w1"), new History.Guarded(2, "w2")));
    private final List<History.Sample> samples = new ArrayList<>();
    private final List<History.Captured> captured = new ArrayList<>(
            List.of(new History.Captured("x", 1), new History.Captured("y", 1), new History.Captured("x", 2)));
    private final List<History.Written> capturedRows = new ArrayList<>();
    private final Map<String, Long> accounts = new HashMap<>(Map.of("x", 2L, "y", 1L));
    private final List<History.Event> faults = new ArrayList<>();
    private final List<History.Claim> claims = new ArrayList<>();
    private final List<String> leftBehind = new ArrayList<>();
    private final List<History.Operation> operations = new ArrayList<>();
    private final List<History.Witnessed> witnessed = new ArrayList<>();
    private final List<History.Row> rows = new ArrayList<>(
            List.of(new History.Row("", "k", 1), new History.Row("", "l", 2), new History.Row("", "k", 5)));
    private final List<History.Row> handledRows = new ArrayList<>(List.of(
            new History.Row("old relay", "k", 1),
            new History.Row("old relay", "l", 2),
            new History.Row("projection", "k", 5)));
    private final List<History.Row> skippedRows = new ArrayList<>();
    private @Nullable Duration calmAfter = Duration.ofSeconds(1);

    InvariantsTest() {
        for (long position = 1; position <= 3; position++) {
            String key = written.get((int) position - 1).key();
            effects.add(new History.Effect(100, "projection", position, key));
            effects.add(new History.Effect(100, "total", position, key));
            arrivals.add(new Arrival("webhook", key, "id-" + position, 1));
        }
        samples.add(new History.Sample(0, "projection", 0, 10, 1, "w1"));
        samples.add(new History.Sample(100, "projection", 0, 20, 2, "w2"));
    }

    private List<Invariant> violated() {
        return violated(EXPECTED);
    }

    private List<Invariant> violated(Expected expected) {
        History history = new History(
                written,
                effects,
                arrivals,
                captured,
                capturedRows,
                accounts,
                guarded,
                samples,
                faults,
                claims,
                leftBehind,
                100,
                new History.Adoption(rows, handledRows, skippedRows),
                operations,
                witnessed,
                calmAfter);
        return Invariants.check(history, expected).stream()
                .map(Violation::invariant)
                .toList();
    }

    @Test
    void aCleanHistory() {
        assertThat(violated()).isEmpty();
    }

    @Test
    void whatATransactionShowedByItself() {
        witnessed.add(new History.Witnessed("I4", "w1 moved a checkpoint of w2"));
        witnessed.add(new History.Witnessed("I9", "1 deadlocks"));
        assertThat(violated()).containsExactly(Invariant.I4, Invariant.I9);
    }

    @Test
    void aLaneOfAFrozenProcessWhoseNextOwnerDoesNothing() {
        accounts.clear();
        for (int i = 1; i <= 3; i++) {
            samples.add(new History.Sample(200L * i, "projection", 0, 20 + i, 3, "worker-1"));
        }
        samples.add(new History.Sample(900, "projection", 0, 30, 3, "worker-1"));
        faults.add(new History.Event(1000, "SIGSTOP of worker-1"));
        faults.add(new History.Event(10_000, "SIGCONT"));
        samples.add(new History.Sample(4000, "projection", 0, 30, 4, "w2"));
        samples.add(new History.Sample(9000, "projection", 0, 30, 4, "w2"));
        assertThat(violated(QUIET)).containsExactly(Invariant.I6);
        samples.add(samples.size() - 1, new History.Sample(5000, "projection", 0, 31, 4, "w2"));
        samples.set(samples.size() - 1, new History.Sample(9000, "projection", 0, 31, 4, "w2"));
        assertThat(violated(QUIET)).isEmpty();
    }

    @Test
    void anOperatorWhoCouldNotDoWhatHeWanted() {
        faults.add(new History.Event(100, "could not adopt the table"));
        assertThat(violated(QUIET)).containsExactly(Invariant.I10);
    }

    @Test
    void aChangeThatWasNotCaptured() {
        captured.remove(2);
        assertThat(violated()).containsExactly(Invariant.I1);
    }

    @Test
    void aChangeThatDidNotReachTheChannel() {
        Expected expected = new Expected(Map.of(), Map.of("channel", false), "", Set.of(), Set.of(), 1, false, true);
        capturedRows.add(new History.Written(1, "x", "change-1"));
        assertThat(violated(expected)).containsExactly(Invariant.I1);
        arrivals.add(new Arrival("channel", "x", "change-1", 1));
        assertThat(violated(expected)).isEmpty();
    }

    @Test
    void aChangeThatWasCapturedTwice() {
        captured.add(new History.Captured("x", 2));
        assertThat(violated()).containsExactly(Invariant.I3);
    }

    @Test
    void aProcessThatIsWellWhileItCannotWork() {
        claims.add(new History.Claim(10, "w1", "well", "nothing comes through"));
        assertThat(violated()).containsExactly(Invariant.I11);
    }

    @Test
    void aProcessThatIsTroubledForGood() {
        claims.add(new History.Claim(10, "w1", "troubled", "nothing comes through"));
        claims.add(new History.Claim(20, "w1", "troubled", ""));
        assertThat(violated()).containsExactly(Invariant.I11);
    }

    @Test
    void somethingThatIsLeftBehind() {
        leftBehind.add("10 threads before, 500 after");
        assertThat(violated()).containsExactly(Invariant.I9);
    }

    @Test
    void aStandstillOfWhatIsNotStruck() {
        faults.add(new History.Event(50, "a tenth of the keys fails"));
        faults.add(new History.Event(6_000, "they recover"));
        assertThat(violated()).containsExactly(Invariant.I8);
    }

    private void own(long millis, @Nullable String owner, long epoch) {
        samples.add(new History.Sample(millis, "projection", 7, 10, epoch, owner));
    }

    @Test
    void aLaneThatNobodyTakesOverFromAKilledProcess() {
        own(900, "worker-1", 5);
        faults.add(new History.Event(1_000, "kill -9 worker-1"));
        own(3_000, null, 5);
        own(6_000, "worker-2", 6);
        assertThat(violated(QUIET)).containsExactly(Invariant.I6);
    }

    @Test
    void aLaneThatIsTakenOverInTime() {
        own(900, "worker-1", 5);
        faults.add(new History.Event(1_000, "kill -9 worker-1"));
        own(3_000, "worker-1", 6);
        own(6_000, "worker-2", 7);
        assertThat(violated(QUIET)).isEmpty();
    }

    @Test
    void aFrozenProcessThatKeepsItsLane() {
        own(900, "worker-1", 5);
        effects.add(new History.Effect(5_000, "capture", 1, "x"));
        faults.add(new History.Event(1_000, "SIGSTOP of worker-1"));
        own(8_000, "worker-1", 5);
        faults.add(new History.Event(9_000, "SIGCONT"));
        assertThat(violated(QUIET)).containsExactly(Invariant.I6);
    }

    @Test
    void aFrozenProcessThatWakesUpSoonKeepsItsLane() {
        own(900, "worker-1", 5);
        faults.add(new History.Event(1_000, "SIGSTOP of worker-1"));
        faults.add(new History.Event(3_000, "SIGCONT"));
        own(8_000, "worker-1", 5);
        assertThat(violated(QUIET)).isEmpty();
    }

    @Test
    void aCaptureWhoseFormerReaderIsFrozenAndKeepsTheSlot() {
        faults.add(new History.Event(1_000, "SIGSTOP of worker-1"));
        effects.add(new History.Effect(1_100, "capture", 1, "x"));
        faults.add(new History.Event(9_000, "SIGCONT"));
        assertThat(violated(QUIET)).containsExactly(Invariant.I6);
    }

    @Test
    void aCaptureThatAnotherProcessReads() {
        faults.add(new History.Event(1_000, "SIGSTOP of worker-1"));
        effects.add(new History.Effect(5_000, "capture", 1, "x"));
        faults.add(new History.Event(9_000, "SIGCONT"));
        assertThat(violated(QUIET)).isEmpty();
    }

    @Test
    void aProcessThatIsCutOffAndKeepsItsLane() {
        own(900, "worker-1", 5);
        effects.add(new History.Effect(5_000, "capture", 1, "x"));
        faults.add(new History.Event(1_000, "cut of worker-1"));
        own(8_000, "worker-1", 5);
        faults.add(new History.Event(9_000, "mended"));
        assertThat(violated(QUIET)).containsExactly(Invariant.I6);
    }

    @Test
    void aProcessThatIsCutOffForAMomentKeepsItsLane() {
        own(900, "worker-1", 5);
        faults.add(new History.Event(1_000, "cut of worker-1"));
        faults.add(new History.Event(3_000, "mended"));
        own(8_000, "worker-1", 5);
        assertThat(violated(QUIET)).isEmpty();
    }

    @Test
    void aLostMessage() {
        effects.removeIf(
                effect -> effect.position() == 2 && effect.subscription().equals("projection"));
        assertThat(violated()).containsExactly(Invariant.I1);
    }

    @Test
    void aMessageThatIsAppliedTwice() {
        effects.add(new History.Effect(100, "projection", 2, "b"));
        assertThat(violated()).containsExactly(Invariant.I2);
    }

    @Test
    void aMessageThatNobodyWrote() {
        effects.add(new History.Effect(100, "projection", 4, "a"));
        assertThat(violated()).containsExactly(Invariant.I2);
    }

    @Test
    void twoMessagesOfAKeyInTheWrongOrder() {
        effects.removeIf(effect -> effect.subscription().equals("projection"));
        effects.add(new History.Effect(100, "projection", 3, "a"));
        effects.add(new History.Effect(100, "projection", 2, "b"));
        effects.add(new History.Effect(100, "projection", 1, "a"));
        assertThat(violated()).containsExactly(Invariant.I3);
    }

    @Test
    void twoKeysInTheWrongOrderWhereTheOrderIsTotal() {
        effects.removeIf(effect -> effect.subscription().equals("total"));
        effects.add(new History.Effect(100, "total", 2, "b"));
        effects.add(new History.Effect(100, "total", 1, "a"));
        effects.add(new History.Effect(100, "total", 3, "a"));
        assertThat(violated()).containsExactly(Invariant.I3);
    }

    @Test
    void aDeliveryThatNeverCame() {
        arrivals.remove(1);
        assertThat(violated()).containsExactly(Invariant.I1);
    }

    @Test
    void aDeliveryThatOvertookAnother() {
        arrivals.remove(0);
        arrivals.add(new Arrival("webhook", "a", "id-1", 2));
        assertThat(violated()).contains(Invariant.I7);
    }

    @Test
    void deliveriesThatComeAgainOnlyIfTheyWereInFlight() {
        arrivals.add(arrivals.get(0));
        assertThat(violated()).isEmpty();
        arrivals.add(arrivals.get(1));
        assertThat(violated()).containsExactly(Invariant.I7);
    }

    @Test
    void aDeliveryThatComesAgainWhereThatIsExcluded() {
        arrivals.add(arrivals.get(0));
        assertThat(violated(new Expected(
                        Map.of("projection", false, "total", true),
                        Map.of("webhook", true),
                        "",
                        Set.of(),
                        Set.of(),
                        1,
                        false,
                        true)))
                .containsExactly(Invariant.I7);
    }

    @Test
    void anOldLeaderThatWritesAfterTheNewOne() {
        guarded.add(new History.Guarded(1, "w1"));
        assertThat(violated()).containsExactly(Invariant.I4);
    }

    @Test
    void twoLeadersOfOneEpoch() {
        guarded.add(new History.Guarded(2, "w3"));
        assertThat(violated()).containsExactly(Invariant.I4);
    }

    @Test
    void aCheckpointThatGoesBackUnlessSomebodyRewoundIt() {
        samples.add(new History.Sample(200, "projection", 0, 15, 2, "w2"));
        assertThat(violated()).containsExactly(Invariant.I5);
        assertThat(violated(new Expected(
                        Map.of("projection", false, "total", true),
                        Map.of("webhook", false),
                        "",
                        Set.of(),
                        Set.of(),
                        1,
                        true,
                        true)))
                .isEmpty();
    }

    @Test
    void aRowOfAnAdoptedTableThatNobodyHandled() {
        handledRows.remove(1);
        assertThat(violated()).containsExactly(Invariant.I1);
    }

    @Test
    void aRowOfAnAdoptedTableThatWasSkippedIsNeitherLostNorAHole() {
        handledRows.remove(0);
        skippedRows.add(new History.Row("", "k", 1));
        assertThat(violated()).isEmpty();

        handledRows.add(new History.Row("projection", "k", 1));
        assertThat(violated()).containsExactly(Invariant.I3);
    }

    @Test
    void aRowOfAnAdoptedTableThatBothRelaysHandled() {
        handledRows.add(new History.Row("projection", "l", 2));
        assertThat(violated()).containsExactly(Invariant.I2);
    }

    @Test
    void aMessageThatIsNoRowOfTheAdoptedTable() {
        handledRows.add(new History.Row("projection", "past-1", 0));
        assertThat(violated()).containsExactly(Invariant.I2);
    }

    @Test
    void aRowOfAnAdoptedTableBeforeAnEarlierOneOfItsKey() {
        handledRows.add(handledRows.remove(0));
        assertThat(violated()).containsExactly(Invariant.I3);
    }

    @Test
    void whatAnOperatorSkippedIsNotLost() {
        operations.add(new History.Operation("skip", "projection", 1));
        operations.add(new History.Operation("skip", "webhook", 1));
        effects.removeIf(
                effect -> effect.position() == 1 && effect.subscription().equals("projection"));
        arrivals.remove(0);
        assertThat(violated()).isEmpty();
    }

    @Test
    void whatAnOperatorSkippedForAnotherSubscriptionIsLost() {
        operations.add(new History.Operation("skip", "total", 2));
        effects.removeIf(effect -> effect.position() == 2);
        assertThat(violated()).containsExactly(Invariant.I1);
    }

    @Test
    void whatAProjectionAppliedAlthoughItWasSkipped() {
        operations.add(new History.Operation("skip", "projection", 1));
        assertThat(violated()).containsExactly(Invariant.I2);
    }

    @Test
    void whatWasSkippedAndAskedForAgainIsExpected() {
        operations.add(new History.Operation("skip", "webhook", 3));
        operations.add(new History.Operation("rewind", "webhook", 2));
        arrivals.remove(2);
        assertThat(violated()).containsExactly(Invariant.I1);
    }

    @Test
    void whatWasSkippedAndWasNotAskedForAgainIsNotExpected() {
        operations.add(new History.Operation("skip", "webhook", 3));
        operations.add(new History.Operation("rewind", "webhook", 3));
        arrivals.remove(2);
        assertThat(violated()).isEmpty();
    }

    @Test
    void aCheckpointOfADeletedSubscriptionMayBeginAnew() {
        operations.add(new History.Operation("delete", "projection", 0));
        samples.add(new History.Sample(200, "projection", 0, 0, 1, "w2"));
        assertThat(violated()).isEmpty();
    }

    @Test
    void aTakeoverThatTheNextStrikeCameBefore() {
        own(900, "worker-1", 5);
        faults.add(new History.Event(1_000, "strike 1: kill"));
        faults.add(new History.Event(1_000, "kill -9 worker-1"));
        faults.add(new History.Event(3_000, "strike 2: none"));
        own(6_000, "worker-2", 6);
        assertThat(violated(QUIET)).isEmpty();
    }

    @Test
    void aBacklogThatStays() {
        calmAfter = null;
        assertThat(violated()).containsExactly(Invariant.I10);
    }
}
