package org.pgbaton.chaos;

import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgbaton.chaos.targets.Endpoint;
import org.pgbaton.chaos.targets.Target;
import org.pgbaton.chaos.worker.Parts;

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

    /** It takes a message and says so, when the caller does not wait any more. */
    static void late(World world, Random random) {
        Endpoint endpoint = endpoint(world);
        int millis = (int) Parts.PATIENCE.toMillis() + 100 + random.nextInt(1500);
        world.events().add("the endpoint answers after " + millis + " ms");
        endpoint.answerAfter(millis);
        Strike.pause(random, 3000, 12_000);
        endpoint.answerAfter(0);
        world.events().add("the endpoint answers at once");
    }

    static void resets(World world, Random random) {
        Endpoint endpoint = endpoint(world);
        int nth = 1 + random.nextInt(3);
        world.events().add("the endpoint resets the connection in answer " + nth + ", " + 2 * nth + ", …");
        endpoint.resetEvery(nth);
        Strike.pause(random, 500, 4000);
        endpoint.resetEvery(0);
        world.events().add("the endpoint answers in full");
    }

    private static Endpoint endpoint(World world) {
        return world.targets().stream()
                .filter(Endpoint.class::isInstance)
                .map(Endpoint.class::cast)
                .findFirst()
                .orElseThrow();
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
        Strike.pause(random, 300, 1500);
        // So many wait behind the first that they are not handled at once when their keys recover.
        int waiting = 1 + random.nextInt(1000);
        world.database()
                .execute("INSERT INTO baton.events (key, payload) SELECT 'key-0', '{}' FROM generate_series(1, "
                        + waiting + ")");
        world.events().add(waiting + " more wait for one of them");
        Strike.pause(random, 300, 1500);
        world.database().execute("TRUNCATE public.failing");
        world.events().add("they recover");
    }
}
