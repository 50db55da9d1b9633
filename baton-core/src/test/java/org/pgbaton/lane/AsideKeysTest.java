package org.pgbaton.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.handling.LaneGroup;

class AsideKeysTest {
    private static final long NOW = 1_000_000_000_000L;

    private final Lane lane = new Lane(new LaneGroup(3), new Tenure(new CheckpointId(7), 1, 0, "1", null), 0);
    private final AsideKeys keys = lane.asideKeys();

    private static StoredAside stored(String key, boolean parked, long waitNanos) {
        return new StoredAside(new CheckpointId(7), key, parked, 2, waitNanos);
    }

    @Test
    void theKeyThatIsDueFirstComesFirst() {
        AsideKey late = keys.setAside("late", false, 1, NOW + 2);
        AsideKey early = keys.setAside("early", false, 1, NOW + 1);
        AsideKey asEarly = keys.setAside("as early", false, 1, NOW + 1);

        assertThat(keys.nextDue()).isSameAs(early);
        keys.beginDraining(early);
        assertThat(keys.nextDue()).isSameAs(asEarly);
        keys.beginDraining(asEarly);
        assertThat(keys.nextDue()).isSameAs(late);
    }

    @Test
    void aParkedKeyIsNotDueUntilAnOperatorRetriesIt() {
        AsideKey key = keys.setAside("k", true, 5, NOW);
        assertThat(keys.nextDue()).isNull();
        assertThat(keys.parked()).isEqualTo(1);

        keys.hear(stored("k", false, 0), NOW);

        assertThat(keys.nextDue()).isSameAs(key);
        assertThat(keys.parked()).isZero();
    }

    @Test
    void aDrainedKeyFlowsAgainOnlyIfNothingWasPassedOverMeanwhile() {
        AsideKey key = keys.setAside("k", false, 1, NOW);
        keys.beginDraining(key);
        assertThat(key.wasPassedOver()).isFalse();

        keys.passedOver("k", NOW);
        assertThat(key.wasPassedOver()).isTrue();
        keys.drainAgain(key, NOW);

        keys.beginDraining(key);
        assertThat(key.wasPassedOver()).isFalse();
        keys.recover(key);
        assertThat(keys.hasRecovered()).isTrue();
        assertThat(keys.hasWaitingMessages()).isFalse();
    }

    @Test
    void aRecoveredKeyIsDueAgainWhenAMessageIsPassedOver() {
        AsideKey key = keys.setAside("k", false, 1, NOW);
        keys.beginDraining(key);
        keys.recover(key);
        assertThat(keys.nextDue()).isNull();

        keys.passedOver("k", NOW);

        assertThat(keys.hasRecovered()).isFalse();
        assertThat(keys.nextDue()).isSameAs(key);
    }

    @Test
    void whatIsStoredDoesNotOverruleWhoDrains() {
        AsideKey key = keys.setAside("k", false, 1, NOW + 5);
        keys.beginDraining(key);

        keys.remember(stored("k", true, 0), NOW);

        assertThat(key.isParked()).isFalse();
        assertThat(key.attempts()).isEqualTo(1);
    }

    @Test
    void onlyKeysThatAreStoredForThisLaneAreRemembered() {
        keys.setAside("gone", false, 1, NOW);
        keys.setAside("stays", false, 1, NOW);

        keys.rememberOnly(
                List.of(
                        stored("stays", false, 0),
                        stored("new", true, 0),
                        new StoredAside(new CheckpointId(8), "other", false, 1, 0)),
                NOW);

        assertThat(keys.names()).containsExactlyInAnyOrder("stays", "new");
        assertThat(keys.parked()).isEqualTo(1);
    }

    @Test
    void keysWhoseTargetIsBackNeedNotWait() {
        AsideKey key = keys.setAside("k", false, 1, NOW + 1_000);
        keys.setAway(key, "the target is away");
        assertThat(keys.outage()).isEqualTo("the target is away");

        keys.hurryThoseAway(NOW);

        assertThat(keys.outage()).isNull();
        assertThat(key.dueAt()).isEqualTo(NOW);
    }

    @Test
    void aLaneWaitsForItsDrains() {
        AsideKey key = keys.setAside("k", false, 1, NOW);
        keys.beginDraining(key);
        assertThat(lane.isCalling()).isTrue();

        keys.drainAgain(key, NOW);
        assertThat(lane.isCalling()).isFalse();
    }
}
