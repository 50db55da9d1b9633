package org.pgbaton.chaos.fault;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.World;

/** Two faults at the same time: mechanisms that hold alone may fail where they meet. */
final class MixedFaults {
    /** What was rewound is promised less, so nobody is to ask for it. */
    private static final Set<Fault> NOT_DRAWN = EnumSet.of(Fault.NONE, Fault.MIXED, Fault.REWIND);

    /** Found out once: some are tried for it. */
    private static final class OfThisMachine {
        static final List<Fault> FAULTS = Arrays.stream(Fault.values())
                .filter(fault -> !NOT_DRAWN.contains(fault) && fault.isPossible())
                .toList();
    }

    private MixedFaults() {}

    /** Draws both. */
    static void strike(World world, Random random) throws Exception {
        List<Fault> all = OfThisMachine.FAULTS.stream()
                .filter(fault -> fault.applies(world.scenario()))
                .toList();
        Fault fault = all.get(random.nextInt(all.size()));
        List<Fault> others =
                all.stream().filter(each -> each.canBeBeside() && each != fault).toList();
        strike(world, random, fault.title(), fault::strike, others.get(random.nextInt(others.size())));
    }

    static void strike(World world, Random random, String title, Strike fault, Fault beside) throws Exception {
        world.events().add("strike of " + title + ", and of " + beside.title() + " beside it");
        Random its = new Random(random.nextLong());
        Thread other = new Thread(() -> strikeBeside(world, its, beside), "chaos-beside");
        other.setDaemon(true);
        other.start();
        try {
            fault.on(world, random);
        } finally {
            other.join();
            // One of them may have kept the other from putting things right.
            Wait.until(Wait.SOON, () -> {
                TargetFaults.fail(world, Set.of());
                return true;
            });
        }
    }

    private static void strikeBeside(World world, Random random, Fault fault) {
        Wait.between(random, 0, 500);
        try {
            fault.strike(world, random);
        } catch (Exception disturbed) {
            world.events().add(fault.title() + " could not go on: " + disturbed.getMessage());
        }
    }
}
