package org.pgbaton.chaos.fault;

import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.traffic.Progress;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.World;

/**
 * What happens to a round: one fault, once; one fault and another beside it; or several of them again and again, until so many messages were
 * written.
 *
 * @param faults with {@code messages} 0 one, or two at the same time, the second of which {@linkplain Fault#canBeBeside can be beside} the first
 * @param messages 0: once
 * @param moment between which two steps of a protocol the first fault strikes; null for any
 */
public record Attack(
        List<Fault> faults, long messages, @Nullable String moment) {
    /** The name of a round with many strikes in the report. */
    private static final String MANY = "many";

    public Attack {
        faults = List.copyOf(faults);
    }

    public static Attack once(Fault fault) {
        return new Attack(List.of(fault), 0, null);
    }

    public boolean isOnce() {
        return messages == 0;
    }

    /** Whether nothing else goes wrong while a fault strikes. */
    public boolean isAlone() {
        return !has(Fault.MIXED) && (!isOnce() || faults.size() == 1);
    }

    public boolean has(Fault fault) {
        return faults.contains(fault);
    }

    /** Whether it fits to a scenario. */
    public boolean applies(Scenario scenario) {
        return faults.stream().allMatch(fault -> fault.applies(scenario));
    }

    /** Keys that fail for a while. */
    public Set<String> failingKeys() {
        return has(Fault.STORM) ? TargetFaults.FAILING : Set.of();
    }

    /** Its name in the report. */
    public String title() {
        return isOnce() ? titles("+") + (moment == null ? "" : "@" + moment) : MANY;
    }

    /** The options that repeat it. */
    public String options(Scenario scenario) {
        return "--scenarios " + scenario.title() + " --faults "
                + (isOnce() ? title() : titles(",") + " --messages " + messages);
    }

    private String titles(String between) {
        return faults.stream().map(Fault::title).collect(Collectors.joining(between));
    }

    /** @param progress of the messages, if there are to be many strikes */
    public void strike(World world, Progress progress, Random random) throws Exception {
        if (isOnce()) {
            if (faults.size() == 1) {
                first(world, random);
            } else {
                MixedFaults.strike(world, random, faults.get(0).title(), this::first, faults.get(1));
            }
            return;
        }
        while (!progress.isEnough()) {
            Fault next = faults.get(random.nextInt(faults.size()));
            world.events().add(History.STRIKE + progress.countStrike() + ": " + next.title());
            next.strike(world, random);
            Wait.between(random, 500, 4000);
        }
    }

    private void first(World world, Random random) throws Exception {
        if (moment == null) {
            faults.get(0).strike(world, random);
        } else {
            faults.get(0).strikeAt(moment, world, random);
        }
    }
}
