package org.pgbaton.chaos;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.pgbaton.chaos.fault.Attack;
import org.pgbaton.chaos.fault.Fault;
import org.pgbaton.chaos.world.Scenario;

/**
 * A scenario, and what happens to it.
 *
 * @param attack whose faults fit to the scenario
 */
record Pair(Scenario scenario, Attack attack) {
    /** All that fit together. */
    static List<Pair> all(List<Scenario> scenarios, List<Attack> attacks) {
        List<Pair> pairs = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            for (Attack attack : attacks) {
                if (attack.applies(scenario)) {
                    pairs.add(new Pair(scenario, attack));
                }
            }
        }
        return pairs;
    }

    /** A long round of each scenario that has something to write. */
    static List<Pair> many(List<Scenario> scenarios, List<Fault> faults, long messages) {
        return scenarios.stream()
                .filter(Scenario::hasMessages)
                .map(scenario -> new Pair(
                        scenario,
                        new Attack(
                                faults.stream()
                                        .filter(fault -> fault.applies(scenario))
                                        .toList(),
                                messages,
                                null)))
                .filter(pair -> !pair.attack.faults().isEmpty())
                .toList();
    }

    /** One of each scenario, at random. */
    static List<Pair> oneOfEach(List<Pair> all, Random random) {
        Map<Scenario, List<Pair>> byScenario = new LinkedHashMap<>();
        all.forEach(pair -> byScenario
                .computeIfAbsent(pair.scenario, scenario -> new ArrayList<>())
                .add(pair));
        return byScenario.values().stream()
                .map(pairs -> pairs.get(random.nextInt(pairs.size())))
                .toList();
    }
}
