package org.pgbaton.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgbaton.subscription.SubscriptionHealth;
import org.pgbaton.subscription.SubscriptionState;

/** What is said about the health of relays and captures, and how often. */
class HealthReportTest {
    private final List<String> lines = new ArrayList<>();
    private long now;
    private SubscriptionHealth health = running(null);
    private final HealthReport report = new HealthReport(
            () -> List.of(new ServedHealth.OfSubscription(ServedHealth.Type.RELAY, "a", health)),
            (trouble, line) -> lines.add(line),
            () -> now);

    private static SubscriptionHealth running(@Nullable String trouble) {
        return health(SubscriptionState.RUNNING, trouble);
    }

    private static SubscriptionHealth health(SubscriptionState state, @Nullable String trouble) {
        return new SubscriptionHealth("a", "", state, 16, trouble, false, List.of());
    }

    private void look(SubscriptionHealth next, double afterSeconds) {
        health = next;
        now += Duration.ofMillis((long) (afterSeconds * 1000)).toNanos();
        report.look();
    }

    @Test
    void aChangeOfStateIsToldAtOnceAndOnce() {
        look(running(null), 0.5);
        look(running(null), 0.5);
        look(health(SubscriptionState.PAUSED, "maintenance"), 0.5);
        look(running(null), 0.5);
        look(health(SubscriptionState.STOPPED, "answers 410."), 0.5);

        assertThat(lines)
                .containsExactly(
                        "Relay 'a' is running.",
                        "Relay 'a' is paused: maintenance.",
                        "Relay 'a' is running.",
                        "Relay 'a' is stopped: answers 410.");
    }

    @Test
    void theTroubleOfTheStartIsToldOnlyIfItStays() {
        look(running("the database cannot be reached"), 0.5);
        look(running(null), 0.5);
        assertThat(lines).containsExactly("Relay 'a' is running.");
    }

    @Test
    void aTroubleThatStaysFromTheStartIsTold() {
        look(running("away"), 0.5);
        look(running("away"), 5);
        assertThat(lines).containsExactly("Relay 'a' is running, with trouble: away.");
    }

    @Test
    void aTroubleThatComesAndGoesDoesNotFillTheLogAndItsEndIsTold() {
        look(running(null), 0.5);
        for (int i = 0; i < 20; i++) {
            look(running(i % 2 == 0 ? "away " + i : null), 1);
        }
        look(running(null), 5);

        assertThat(lines).hasSizeBetween(3, 6).endsWith("Relay 'a' is running, and the trouble is over.");
    }

    @Test
    void aLookThatHangsShowsInLiveness() {
        look(running(null), 1);
        now += Duration.ofSeconds(29).toNanos();
        assertThat(report.isAlive()).isTrue();
        now += Duration.ofSeconds(2).toNanos();
        assertThat(report.isAlive()).isFalse();
    }
}
