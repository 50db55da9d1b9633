package org.pgbaton.chaos.fault;

import java.util.List;
import java.util.Random;
import java.util.Set;
import org.pgbaton.Baton;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.World;
import org.pgbaton.database.BatonException;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionStatus;

/**
 * What operators do while there is traffic. The history reads what they did from the database's own record, not from here: a command whose
 * answer was lost may have been done.
 */
final class OperatorFaults {
    private static final String REASON = "chaos";

    private OperatorFaults() {}

    /** Acts at random while keys fail. In scenarios whose keys cannot fail it only pauses and resumes. */
    static void operate(World world, Random random) throws Exception {
        if (!world.scenario().canFail()) {
            pauseAndResume(world, random);
            return;
        }
        world.events().add("a tenth of the keys fails");
        TargetFaults.fail(world, TargetFaults.FAILING);
        try (Baton baton = world.database().baton("operator")) {
            Wait.until(Wait.SOON, () -> !baton.subscriptions().parked(null).isEmpty());
            boolean startsOver = random.nextInt(3) == 0;
            act(world, baton, random);
            if (startsOver) {
                StartingOver.any(world, baton, random);
                act(world, baton, random);
            }
            TargetFaults.fail(world, Set.of());
            world.events().add("they recover");
            act(world, baton, random); // what recovers is drained meanwhile
        } finally {
            TargetFaults.fail(world, Set.of());
        }
    }

    private static void act(World world, Baton baton, Random random) {
        for (int i = 3 + random.nextInt(6); i > 0; i--) {
            try {
                switch (random.nextInt(6)) {
                    case 0 -> retry(world, baton, random);
                    case 1 -> pauseAndResume(world, baton, any(baton, random).name(), random);
                    case 2 -> moveBack(world, baton, random);
                    default -> skip(world, baton, random);
                }
            } catch (BatonException refused) {
                world.events().add("refused: " + refused.getMessage());
            }
            Wait.between(random, 0, 200);
        }
    }

    /** Not those of a captured table, which are judged by their versions: nobody could tell a skipped one from a lost one. */
    private static void skip(World world, Baton baton, Random random) {
        List<ParkedKey> parked = baton.subscriptions().parked(null).stream()
                .filter(key -> !key.subscription().equals(Part.CAPTURE.subscription()))
                .toList();
        if (!parked.isEmpty()) {
            ParkedKey key = parked.get(random.nextInt(parked.size()));
            world.events().add("skip " + key.subscription() + ", message " + key.head() + " of " + key.key());
            baton.subscriptions().skip(key.subscription(), key.key(), key.head(), REASON);
        }
    }

    private static void retry(World world, Baton baton, Random random) {
        List<ParkedKey> parked = baton.subscriptions().parked(null);
        if (!parked.isEmpty()) {
            ParkedKey key = parked.get(random.nextInt(parked.size()));
            world.events().add("retry " + key.subscription());
            if (random.nextBoolean()) {
                baton.subscriptions().retry(key.subscription(), key.key(), REASON);
            } else {
                baton.subscriptions().retryAll(key.subscription(), null, REASON);
            }
        }
    }

    /** Only where nothing is promised against a message that comes again. */
    private static void moveBack(World world, Baton baton, Random random) {
        SubscriptionStatus chosen = any(baton, random);
        boolean mayComeAgain = world.scenario().parts().stream()
                .anyMatch(part -> part.subscription().equals(chosen.name()) && part.mayComeAgain());
        if (mayComeAgain && world.scenario() != Scenario.RETENTION) {
            long position = random.nextInt(1 + (int) Math.min(chosen.backlog().position(), Integer.MAX_VALUE - 1));
            world.events().add("rewind " + chosen.name() + " to " + position);
            baton.subscriptions().rewind(chosen.name(), position, REASON);
        }
    }

    private static SubscriptionStatus any(Baton baton, Random random) {
        List<SubscriptionStatus> all = baton.subscriptions().list();
        return all.get(random.nextInt(all.size()));
    }

    private static void pauseAndResume(World world, Random random) throws Exception {
        try (Baton baton = world.database().baton("operator")) {
            for (SubscriptionStatus each : baton.subscriptions().list()) {
                pauseAndResume(world, baton, each.name(), random);
            }
        }
    }

    private static void pauseAndResume(World world, Baton baton, String name, Random random) {
        world.events().add("pause " + name);
        baton.subscriptions().pause(name, REASON);
        Wait.between(random, 50, 700);
        baton.subscriptions().resume(name, REASON);
        world.events().add("resume " + name);
    }

    static void rewind(World world, Random random) throws Exception {
        try (Baton baton = world.database().baton("operator")) {
            long end = Long.parseLong(world.database().one("SELECT max(position) FROM baton.events"));
            for (SubscriptionStatus each : baton.subscriptions().list()) {
                long position = end - random.nextInt((int) Math.max(1, end));
                world.events().add("rewind " + each.name() + " to " + position);
                baton.subscriptions().rewind(each.name(), position, REASON);
                Wait.between(random, 50, 700);
            }
        }
    }
}
