package org.pgbaton.chaos.round;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.pgbaton.chaos.fault.Attack;
import org.pgbaton.chaos.fault.Fault;
import org.pgbaton.chaos.verdict.Expected;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.Workers;

/** What a scenario promises under an attack. Pure functions. */
final class Promises {
    /** Two workers of each process, each with a batch of 50 that is not closed. */
    private static final int IN_FLIGHT = Workers.COUNT * 2 * 50;

    private Promises() {}

    /** @param disturbances how often something broke that had messages in flight */
    static Expected of(Scenario scenario, Attack attack, int disturbances) {
        Map<String, Boolean> projections = new LinkedHashMap<>();
        Map<String, Boolean> targets = new LinkedHashMap<>();
        for (Part part : scenario.parts()) {
            switch (part.kind()) {
                case PROJECTION -> projections.put(part.subscription(), part == Part.TOTAL);
                case REACTION, AT_LEAST_ONCE -> targets.put(part.subscription(), false);
                case EXACTLY_ONCE -> targets.put(part.subscription(), true);
                default -> {
                    // Judged by what it wrote alone.
                }
            }
        }
        boolean rewound = attack.has(Fault.REWIND);
        return new Expected(
                projections,
                targets,
                scenario.has(Part.REBUILT) ? Part.REBUILT.subscription() : "",
                attack.isOnce() && attack.isAlone()
                        ? undisturbed(scenario, attack.faults().get(0))
                        : Set.of(),
                attack.failingKeys(),
                rewound ? Integer.MAX_VALUE : disturbances * IN_FLIGHT,
                rewound,
                attack.isAlone());
    }

    /** Projections that go on while a target is away, or other keys fail. */
    private static Set<String> undisturbed(Scenario scenario, Fault fault) {
        Set<String> all = new LinkedHashSet<>();
        if (scenario == Scenario.ADOPTION) {
            return all; // while the old relay drains, nothing goes on
        }
        if (scenario.has(Part.PROJECTION) && fault.isPartial()) {
            all.add(Part.PROJECTION.subscription());
        }
        if (scenario.has(Part.CAPTURE) && fault.isPartial()) {
            all.add(Part.CAPTURE.subscription());
        }
        if (scenario.has(Part.TOTAL) && fault.isPartial() && fault != Fault.STORM) {
            all.add(Part.TOTAL.subscription());
        }
        return all;
    }
}
