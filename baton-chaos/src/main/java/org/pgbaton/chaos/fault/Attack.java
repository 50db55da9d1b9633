package org.pgbaton.chaos;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * What happens to a round: one fault, once; or several of them again and again, until so many messages were written.
 *
 * @param messages 0: once
 */
record Attack(List<Fault> faults, long messages) {
    /** What the report calls a round with many strikes. */
    private static final String MANY = "many";

    Attack {
        faults = List.copyOf(faults);
    }

    static Attack once(Fault fault) {
        return new Attack(List.of(fault), 0);
    }

    boolean isOnce() {
        return messages == 0;
    }

    boolean has(Fault fault) {
        return faults.contains(fault);
    }

    /** In the report. */
    String title() {
        return isOnce() ? faults.get(0).title() : MANY;
    }

    /** What repeats it. */
    String options(Scenario scenario) {
        return "--scenarios " + scenario.title() + " --faults "
                + faults.stream().map(Fault::title).collect(Collectors.joining(","))
                + (isOnce() ? "" : " --messages " + messages);
    }

    /** @param progress of the messages, if there are to be many strikes */
    void strike(World world, Progress progress, Random random) throws Exception {
        if (isOnce()) {
            faults.get(0).strike(world, random);
            return;
        }
        while (!progress.isEnough()) {
            Fault next = faults.get(random.nextInt(faults.size()));
            world.events().add(LateTakeovers.STRIKE + progress.countStrike() + ": " + next.title());
            next.strike(world, random);
            Strike.pause(random, 500, 4000);
        }
    }
}
