package org.pgbaton.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Health;
import org.pgbaton.leadership.LeadershipChange;
import org.pgbaton.leadership.LeadershipHealth;
import org.pgbaton.leadership.LeadershipState;

class LeadershipMetersTest {
    private static final LeadershipHealth STANDBY =
            new LeadershipHealth("reports", LeadershipState.STANDBY, 0, null, null);
    private static final LeadershipHealth LEADING =
            new LeadershipHealth("reports", LeadershipState.LEADING, 7, Duration.ofMillis(1500), null);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private Health health = new Health(List.of(), List.of(), List.of());
    private final LeadershipMeters meters = new LeadershipMeters(registry, Tags.of("app", "shop"), () -> health);

    @Test
    void aLeadershipHasNoMetersBeforeItIsSeen() {
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void theFirstChangeMakesTheMetersAppear() {
        meters.changed(new LeadershipChange("reports", LeadershipState.STANDBY, 0, "held by b", null));

        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getName())
                .containsOnly(
                        "baton.leadership.role",
                        "baton.leadership.epoch",
                        "baton.leadership.heartbeat.age",
                        "baton.leadership.changes",
                        "baton.leadership.takeover",
                        "baton.leadership.takeover.histogram"); // its buckets
        assertThat(registry.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getTags())
                        .contains(Tag.of("app", "shop"), Tag.of("leadership", "reports")));
    }

    @Test
    void exactlyTheRoleThatHoldsIsOne() {
        meters.show("reports");
        for (LeadershipState state : LeadershipState.values()) {
            health = new Health(
                    List.of(new LeadershipHealth("reports", state, 7, Duration.ZERO, null)), List.of(), List.of());
            assertThat(roles()).as(state.name()).containsExactlyElementsOf(oneAt(state));
        }
    }

    @Test
    void aProcessThatTakesNoPartHasNoRoleAndNoEpoch() {
        meters.show("reports");
        health = new Health(
                List.of(new LeadershipHealth("bills", LeadershipState.LEADING, 9, Duration.ZERO, null)),
                List.of(),
                List.of());

        assertThat(roles()).containsOnly(0.0);
        assertThat(gauge("baton.leadership.epoch")).isZero();
        assertThat(gauge("baton.leadership.heartbeat.age")).isNaN();
    }

    @Test
    void aLeaderShowsItsEpochAndTheAgeOfItsHeartbeat() {
        meters.show("reports");
        health = new Health(List.of(LEADING), List.of(), List.of());

        assertThat(gauge("baton.leadership.epoch")).isEqualTo(7);
        assertThat(gauge("baton.leadership.heartbeat.age")).isEqualTo(1.5);
    }

    @Test
    void theHeartbeatGoesOnAgeingWhileSuspendedAndIsUnknownAfterwards() {
        meters.show("reports");
        health = new Health(
                List.of(new LeadershipHealth(
                        "reports", LeadershipState.SUSPENDED, 7, Duration.ofMillis(9250), "no answer")),
                List.of(),
                List.of());
        assertThat(gauge("baton.leadership.heartbeat.age")).isEqualTo(9.25);

        health = new Health(
                List.of(new LeadershipHealth("reports", LeadershipState.LOST, 7, Duration.ofSeconds(20), null)),
                List.of(),
                List.of());
        assertThat(gauge("baton.leadership.heartbeat.age")).isNaN();
        assertThat(gauge("baton.leadership.epoch")).isZero();

        health = new Health(List.of(STANDBY), List.of(), List.of());
        assertThat(gauge("baton.leadership.heartbeat.age")).isNaN();
    }

    @Test
    void aSecondBidForWhatIsLedHereDoesNotHideTheTerm() {
        meters.show("reports");
        health = new Health(List.of(STANDBY, LEADING), List.of(), List.of());

        assertThat(roles()).containsExactlyElementsOf(oneAt(LeadershipState.LEADING));
        assertThat(gauge("baton.leadership.epoch")).isEqualTo(7);
    }

    @Test
    void termsAreCountedAndTrustThatComesBackIsNot() {
        meters.changed(new LeadershipChange("reports", LeadershipState.STANDBY, 0, "held by b", null));
        meters.changed(new LeadershipChange("reports", LeadershipState.LEADING, 7, "acquired", Duration.ofMillis(20)));
        meters.changed(new LeadershipChange("reports", LeadershipState.SUSPENDED, 7, "no answer", null));
        meters.changed(new LeadershipChange("reports", LeadershipState.LEADING, 7, "the database answers again", null));
        assertThat(changes("leading")).isEqualTo(1);
        assertThat(changes("lost")).isZero();

        meters.changed(new LeadershipChange("reports", LeadershipState.LOST, 7, "released", null));
        meters.changed(new LeadershipChange("reports", LeadershipState.LEADING, 8, "acquired", Duration.ofMillis(40)));
        assertThat(changes("leading")).isEqualTo(2);
        assertThat(changes("lost")).isEqualTo(1);

        var takeover = registry.get("baton.leadership.takeover").timer();
        assertThat(takeover.count()).isEqualTo(2);
        assertThat(takeover.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(60);
        assertThat(takeover.takeSnapshot().histogramCounts()).as("buckets").hasSizeGreaterThan(5);
    }

    @Test
    void leadershipsAreCountedApart() {
        meters.changed(new LeadershipChange("reports", LeadershipState.LEADING, 1, "acquired", Duration.ZERO));
        meters.changed(new LeadershipChange("bills", LeadershipState.LOST, 3, "released", null));

        assertThat(registry.get("baton.leadership.changes")
                        .tags("leadership", "bills", "to", "lost")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("baton.leadership.changes")
                        .tags("leadership", "bills", "to", "leading")
                        .counter()
                        .count())
                .isZero();
    }

    private List<Double> roles() {
        return List.of(LeadershipState.values()).stream()
                .map(state -> registry.get("baton.leadership.role")
                        .tags("leadership", "reports", "role", state.name().toLowerCase(Locale.ROOT))
                        .gauge()
                        .value())
                .toList();
    }

    private static List<Double> oneAt(LeadershipState wanted) {
        return List.of(LeadershipState.values()).stream()
                .map(state -> state == wanted ? 1.0 : 0.0)
                .toList();
    }

    private double gauge(String name) {
        return registry.get(name).tags("leadership", "reports").gauge().value();
    }

    private double changes(String to) {
        return registry.get("baton.leadership.changes")
                .tags("leadership", "reports", "to", to)
                .counter()
                .count();
    }
}
