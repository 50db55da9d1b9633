package org.pgbaton.chaos.fault;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgbaton.Baton;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.targets.Endpoint;
import org.pgbaton.chaos.targets.KafkaTarget;
import org.pgbaton.chaos.targets.Target;
import org.pgbaton.chaos.traffic.Traffic;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.worker.Parts;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.World;

/** What can happen to targets and handlers. */
final class TargetFaults {
    /** A tenth of all keys. */
    static final Set<String> FAILING =
            IntStream.range(0, Traffic.KEYS / 10).mapToObj(n -> "key-" + n).collect(Collectors.toUnmodifiableSet());

    /** Within that time other partitions go on, on a slow machine too. */
    private static final int OTHERS_MILLIS = 6_000;

    private TargetFaults() {}

    static void silent(World world, Random random) throws Exception {
        Target target = any(world, random);
        world.events().add(target.part().subscription() + " is silent");
        target.fallSilent();
        try {
            Wait.between(random, 500, 9000);
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
            Wait.between(random, 500, 3000);
        } finally {
            target.comeBack();
        }
        world.events().add(target.part().subscription() + " is back");
    }

    /** Keys of other partitions have to go on meanwhile. */
    static void leaderless(World world, Random random) throws Exception {
        List<KafkaTarget> targets = world.targets().stream()
                .filter(KafkaTarget.class::isInstance)
                .map(KafkaTarget.class::cast)
                .toList();
        KafkaTarget target = targets.get(random.nextInt(targets.size()));
        String topic = target.part().subscription();
        target.moveAPartition();
        world.events().add("a partition of " + topic + " is at a second broker");
        Wait.between(random, 200, 1000);
        if (target.part().kind() == Part.Kind.EXACTLY_ONCE) {
            betweenTransactions(world, target, target::loseThePartition);
        } else {
            target.loseThePartition();
        }
        world.events().add("kill -9 of the second broker");
        long before = target.countOfOthers();
        int millis = 500 + random.nextInt(9000);
        Duration after = Wait.until(Duration.ofMillis(millis), () -> target.countOfOthers() > before);
        if (after == null && millis > OTHERS_MILLIS) {
            world.events()
                    .add(History.COULD_NOT + "publish to other partitions of " + topic + " for " + millis + " ms");
        }
        Wait.between(random, 100, Math.max(101, millis));
        target.recoverThePartition();
        world.events().add("the partition is back");
    }

    /**
     * Does it while the relay is paused and no transaction is open at the partition. A transaction that ends while one of its partitions
     * has no leader is not atomic: Kafka's coordinator takes such a partition for a deleted one and never tells it how the transaction
     * ended (docs/kafka.md).
     */
    private static void betweenTransactions(World world, KafkaTarget target, Runnable action) throws Exception {
        String relay = target.part().subscription();
        try (Baton baton = world.database().baton("operator")) {
            baton.subscriptions().pause(relay, "between two transactions");
            try {
                Settled arrivals = new Settled(target::count);
                if (Wait.until(Wait.SOON, () -> arrivals.isSettled() && !target.isInATransaction()) == null) {
                    throw new IllegalStateException(relay + " goes on although it is paused");
                }
                action.run();
            } finally {
                baton.subscriptions().resume(relay, "between two transactions");
            }
        }
    }

    /** The endpoint takes messages, and answers after the caller's time-out. */
    static void late(World world, Random random) {
        Endpoint endpoint = endpoint(world, random);
        int millis = (int) Parts.PATIENCE.toMillis() + 100 + random.nextInt(1500);
        world.events().add("the endpoint answers after " + millis + " ms");
        endpoint.answerAfter(millis);
        Wait.between(random, 3000, 12_000);
        endpoint.answerAfter(0);
        world.events().add("the endpoint answers at once");
    }

    static void resets(World world, Random random) {
        Endpoint endpoint = endpoint(world, random);
        int nth = 1 + random.nextInt(3);
        world.events().add("the endpoint resets the connection in answer " + nth + ", " + 2 * nth + ", …");
        endpoint.resetEvery(nth);
        Wait.between(random, 500, 4000);
        endpoint.resetEvery(0);
        world.events().add("the endpoint answers in full");
    }

    private static Endpoint endpoint(World world, Random random) {
        List<Endpoint> endpoints = world.targets().stream()
                .filter(Endpoint.class::isInstance)
                .map(Endpoint.class::cast)
                .toList();
        return endpoints.get(random.nextInt(endpoints.size()));
    }

    private static Target any(World world, Random random) {
        List<Target> targets = world.targets();
        return targets.get(random.nextInt(targets.size()));
    }

    /** Handlers and endpoints refuse these keys from now on, and no others. */
    static void fail(World world, Set<String> keys) throws SQLException {
        world.database().execute("TRUNCATE public.failing");
        for (String key : keys) {
            world.database().execute("INSERT INTO public.failing (key) VALUES ('" + key + "')");
        }
        world.targets().forEach(target -> target.refuse(keys));
    }

    static void slowKeys(World world, Random random) throws Exception {
        int millis = 500 + random.nextInt(3000);
        world.events().add("a tenth of the keys takes " + millis + " ms for each message");
        world.database()
                .execute("INSERT INTO public.failing SELECT 'key-' || n, " + millis + " FROM generate_series(0, "
                        + (Traffic.KEYS / 10 - 1) + ") n ON CONFLICT DO NOTHING");
        Wait.between(random, 1500, 6000);
        world.database().execute("TRUNCATE public.failing");
        world.events().add("they are as fast as the others");
    }

    static void storm(World world, Random random) throws Exception {
        world.events().add("a tenth of the keys fails");
        // In an old table each key has one writer.
        String one = world.scenario() == Scenario.ADOPTION ? "storm" : "key-0";
        world.database()
                .execute("INSERT INTO public.failing (key) SELECT 'key-' || n FROM generate_series(0, "
                        + (Traffic.KEYS / 10 - 1) + ") n UNION SELECT '" + one + "' ON CONFLICT DO NOTHING");
        Wait.between(random, 300, 1500);
        // Enough of them that the key is not drained at once when it recovers.
        int waiting = 1 + random.nextInt(1000);
        world.database()
                .execute("INSERT INTO " + world.scenario().table() + " (key, payload) SELECT '" + one
                        + "', '{}' FROM generate_series(1, " + waiting + ")");
        world.events().add(waiting + " more wait for one of them");
        Wait.between(random, 300, 1500);
        world.database().execute("TRUNCATE public.failing");
        world.events().add("they recover");
    }
}
