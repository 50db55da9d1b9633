package org.pgbaton.chaos.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.worker.WorkerProgram;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.Worker;
import org.pgbaton.chaos.world.Workers;
import org.pgbaton.chaos.world.World;

/** A process that crashes, freezes, waits or fails between two steps of a protocol: see {@code Failpoint} of the core. */
final class InsideFaults {
    private static final List<String> ALWAYS = List.of("before-lock", "after-lock");
    private static final List<String> LEADING = List.of("before-unlock");
    private static final List<String> SUBSCRIBED =
            List.of("after-epoch", "before-unlock", "after-unlock", "before-commit", "after-commit");
    private static final List<String> PROJECTING =
            List.of("before-handler", "before-close", "after-close", "before-settle");
    private static final List<String> RELAYING = List.of("before-publish", "after-publish");
    private static final List<String> CAPTURING = List.of("before-record", "before-acknowledge", "after-acknowledge");

    private InsideFaults() {}

    /** All moments of any scenario. */
    static List<String> allMoments() {
        return Stream.of(ALWAYS, SUBSCRIBED, PROJECTING, RELAYING, CAPTURING)
                .flatMap(List::stream)
                .toList();
    }

    /**
     * @param action half of the crashes come a while after the moment: until then that thread waits, and the others go on
     * @param chosen the only moment; null for any
     */
    static void strike(World world, Random random, String action, @Nullable String chosen) throws Exception {
        List<String> moments = moments(world.scenario());
        String drawn = moments.get(random.nextInt(moments.size()));
        String moment = chosen == null ? drawn : chosen;
        // Early passages differ from late ones, so each power of two is equally likely.
        int passage = 1 + random.nextInt(1 << (1 + random.nextInt(8)));
        int victim = random.nextInt(Workers.COUNT);
        boolean crashesLater = action.equals("crash") && random.nextBoolean();
        String plan = moment + ":" + (crashesLater ? "delay" : action) + ":" + passage;
        world.workers().replaceWithPlan(victim, plan);
        Worker worker = world.workers().get(victim);
        world.events().add(worker.name() + " will do " + plan);
        boolean leaves = moment.endsWith("unlock");
        if (leaves) {
            worker.endSoon(); // locks are given back when a process leaves
        }
        boolean reached = world.workers().awaitFailpoint();
        if (reached) {
            await(world, random, worker, action, crashesLater);
        } else {
            world.events().add("it was not reached");
        }
        if (leaves || !reached || !worker.isAlive()) {
            world.workers().replace(victim);
        }
    }

    private static void await(World world, Random random, Worker worker, String action, boolean crashesLater)
            throws InterruptedException {
        switch (action) {
            case "crash" -> {
                if (crashesLater) {
                    Wait.between(random, 0, (int) WorkerProgram.LEASE.toMillis());
                }
                world.events().add("kill -9 " + worker.name());
                worker.kill(); // it is about to end, and may still be seen
            }
            case "freeze" -> {
                world.events().add("SIGSTOP of " + worker.name());
                Wait.between(
                        random, 500, (int) WorkerProgram.LEASE.multipliedBy(5).toMillis());
                worker.thaw();
                world.events().add("SIGCONT");
            }
            default -> {
                world.events().add("it did");
                Wait.between(
                        random, 500, (int) WorkerProgram.LEASE.multipliedBy(2).toMillis());
            }
        }
    }

    private static List<String> moments(Scenario scenario) {
        List<String> moments = new ArrayList<>(ALWAYS);
        moments.addAll(scenario.has(Part.LEADERSHIP) ? LEADING : List.of());
        moments.addAll(scenario == Scenario.LEADERSHIP ? List.of() : SUBSCRIBED);
        for (Part part : scenario.parts()) {
            switch (part.kind()) {
                case PROJECTION -> moments.addAll(PROJECTING);
                case AT_LEAST_ONCE, EXACTLY_ONCE -> moments.addAll(RELAYING);
                case CAPTURE -> moments.addAll(CAPTURING);
                default -> {
                    // Nothing of its own.
                }
            }
        }
        return moments;
    }
}
