package org.pgbaton.chaos.report;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rounds for tests. */
final class Rounds {
    static final Grid GRID = new Grid(
            List.of("projection", "leadership"),
            List.of("kill", "storm"),
            Set.of(
                    new Grid.Pair("projection", "kill"),
                    new Grid.Pair("projection", "storm"),
                    new Grid.Pair("leadership", "kill")));

    private Rounds() {}

    static RoundEntry held(String scenario, String fault, @Nullable Long takeoverMillis) {
        return round(17, scenario, fault, takeoverMillis, List.of(), "worker-1");
    }

    static RoundEntry violated(String scenario, String fault, String what) {
        return round(17, scenario, fault, null, List.of(new RoundEntry.Broken("I2", what)), "worker-1");
    }

    static RoundEntry round(
            int postgres,
            String scenario,
            String fault,
            @Nullable Long takeoverMillis,
            List<RoundEntry.Broken> violations,
            String owner) {
        TimeLine timeLine = TimeLine.of(
                List.of(
                        new Look(900, Look.Kind.SUBSCRIPTION, scenario, 0, owner, 1),
                        new Look(1_000, Look.Kind.SUBSCRIPTION, scenario, 0, null, 1),
                        new Look(1_100, Look.Kind.SUBSCRIPTION, scenario, 0, "worker-2", 2)),
                List.of(new Look.Waiting(900, scenario, 3), new Look.Waiting(1_000, scenario, 12)));
        return new RoundEntry(
                postgres,
                scenario,
                fault,
                4711,
                Instant.parse("2026-11-16T06:00:00Z"),
                360,
                violations,
                false,
                null,
                1_000,
                250L,
                takeoverMillis,
                violations.isEmpty() ? null : 1_000L,
                List.of(new RoundEntry.Event(950, "kill -9 " + owner)),
                timeLine,
                null);
    }
}
