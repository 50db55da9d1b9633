package org.pgbaton.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgbaton.chaos.Violation.Invariant;

/** Every mistake that a history can show is found; a history without one is clean. */
class InvariantsTest {
    private static final Invariants.Expected EXPECTED =
            new Invariants.Expected(Map.of("projection", false, "total", true), Map.of("webhook", false), 1, false);

    private final List<History.Written> written = new ArrayList<>(List.of(
            new History.Written(1, "a", "id-1"),
            new History.Written(2, "b", "id-2"),
            new History.Written(3, "a", "id-3")));
    private final List<History.Effect> effects = new ArrayList<>();
    private final List<History.Arrival> arrivals = new ArrayList<>();
    private final List<History.Guarded> guarded =
            new ArrayList<>(List.of(new History.Guarded(1, "w1"), new History.Guarded(2, "w2")));
    private final List<History.Sample> samples = new ArrayList<>();
    private @Nullable Duration calmAfter = Duration.ofSeconds(1);

    InvariantsTest() {
        for (long position = 1; position <= 3; position++) {
            String key = written.get((int) position - 1).key();
            effects.add(new History.Effect("projection", position, key));
            effects.add(new History.Effect("total", position, key));
            arrivals.add(new History.Arrival("webhook", key, "id-" + position, 1));
        }
        samples.add(new History.Sample(0, "projection", 0, 10, 1, "w1"));
        samples.add(new History.Sample(100, "projection", 0, 20, 2, "w2"));
    }

    private List<Invariant> violated() {
        return violated(EXPECTED);
    }

    private List<Invariant> violated(Invariants.Expected expected) {
        History history = new History(written, effects, arrivals, guarded, samples, List.of(), 100, calmAfter);
        return Invariants.check(history, expected).stream()
                .map(Violation::invariant)
                .toList();
    }

    @Test
    void aCleanHistory() {
        assertThat(violated()).isEmpty();
    }

    @Test
    void aLostMessage() {
        effects.removeIf(
                effect -> effect.position() == 2 && effect.subscription().equals("projection"));
        assertThat(violated()).containsExactly(Invariant.I1);
    }

    @Test
    void aMessageThatIsAppliedTwice() {
        effects.add(new History.Effect("projection", 2, "b"));
        assertThat(violated()).containsExactly(Invariant.I2);
    }

    @Test
    void aMessageThatNobodyWrote() {
        effects.add(new History.Effect("projection", 4, "a"));
        assertThat(violated()).containsExactly(Invariant.I2);
    }

    @Test
    void twoMessagesOfAKeyInTheWrongOrder() {
        effects.removeIf(effect -> effect.subscription().equals("projection"));
        effects.add(new History.Effect("projection", 3, "a"));
        effects.add(new History.Effect("projection", 2, "b"));
        effects.add(new History.Effect("projection", 1, "a"));
        assertThat(violated()).containsExactly(Invariant.I3);
    }

    @Test
    void twoKeysInTheWrongOrderWhereTheOrderIsTotal() {
        effects.removeIf(effect -> effect.subscription().equals("total"));
        effects.add(new History.Effect("total", 2, "b"));
        effects.add(new History.Effect("total", 1, "a"));
        effects.add(new History.Effect("total", 3, "a"));
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
        arrivals.add(new History.Arrival("webhook", "a", "id-1", 2));
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
        assertThat(violated(new Invariants.Expected(
                        Map.of("projection", false, "total", true), Map.of("webhook", true), 1, false)))
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
        assertThat(violated(new Invariants.Expected(
                        Map.of("projection", false, "total", true), Map.of("webhook", false), 1, true)))
                .isEmpty();
    }

    @Test
    void aBacklogThatStays() {
        calmAfter = null;
        assertThat(violated()).containsExactly(Invariant.I10);
    }
}
