package org.pgbaton.chaos;

import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgbaton.chaos.targets.Target;

/** What can happen to targets and handlers. */
final class TargetFaults {
    /** A tenth of all keys. */
    static final Set<String> FAILING =
            IntStream.range(0, Traffic.KEYS / 10).mapToObj(n -> "key-" + n).collect(Collectors.toUnmodifiableSet());

    private TargetFaults() {}

    static void silent(World world, Random random) throws Exception {
        Target target = any(world, random);
        world.events().add(target.part().subscription() + " is silent");
        target.fallSilent();
        try {
            Strike.pause(random, 500, 9000);
        } finally {
            target.answerAgain();
        }
        world.events().add(target.part().subscription() + " answers");
    }

    static void away(World world, Random random) throws Exception {
        Target target = any(world, random);
        world.events().add(target.part().subscription() + " is away");
        target.goAway();
        try {
            Strike.pause(random, 500, 3000);
        } finally {
            target.comeBack();
        }
        world.events().add(target.part().subscription() + " is back");
    }

    private static Target any(World world, Random random) {
        List<Target> targets = world.targets();
        return targets.get(random.nextInt(targets.size()));
    }

    static void storm(World world, Random random) throws Exception {
        world.events().add("a tenth of the keys fails");
        world.database()
                .execute("INSERT INTO public.failing SELECT 'key-' || n FROM generate_series(0, "
                        + (Traffic.KEYS / 10 - 1) + ") n");
        Strike.pause(random, 500, 2500);
        world.database().execute("TRUNCATE public.failing");
        world.events().add("they recover");
    }
}
