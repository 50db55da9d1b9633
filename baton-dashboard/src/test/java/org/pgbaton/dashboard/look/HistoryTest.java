package org.pgbaton.dashboard.look;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is remembered between looks. */
class HistoryTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private final History history = new History();

    @Test
    void whoLooksSeldomSeesThePaceSinceTheLookBefore() {
        look(0, 0, "alpha");
        Subscription now = look(10, 500, "alpha");

        assertThat(history.pace(now).handled()).isEqualTo(50);
    }

    @Test
    void whoLooksOftenSeesThePaceOfTheLastSeconds() {
        look(0, 0, "alpha");
        look(10, 500, "alpha");
        look(12, 520, "alpha");
        Subscription now = look(14, 540, "alpha");

        assertThat(history.pace(now).handled()).isEqualTo(10);
    }

    @Test
    void processesThatAreGoneAreForgottenOnceThereAreMany() {
        for (int i = 0; i < 1000; i++) {
            look(i, i, "process-" + i);
        }
        look(1000, 1000, "alpha");
        assertThat(history.colours()).isLessThan(110);
    }

    private Subscription look(int second, long position, String owner) {
        Instant at = BEGIN.plusSeconds(second);
        Lane lane = new Lane(1, 0, position, 1, owner, BEGIN, at, null, null, null);
        Subscription subscription = new Subscription(
                1,
                "balances",
                "",
                true,
                "events",
                "key",
                "active",
                null,
                null,
                BEGIN,
                position,
                0,
                0,
                0,
                List.of(new Subscription.Member(owner, BEGIN)),
                List.of(lane));
        history.add(new Snapshot(
                second + 1L,
                at,
                List.of(subscription),
                List.of(),
                List.of(),
                List.of(),
                Map.of("events", position),
                null));
        return subscription;
    }
}
