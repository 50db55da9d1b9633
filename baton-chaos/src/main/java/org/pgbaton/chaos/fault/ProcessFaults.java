package org.pgbaton.chaos;

import java.util.Random;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.worker.WorkerProgram;

/** What can happen to the processes of Baton. */
final class ProcessFaults {
    private ProcessFaults() {}

    static void kill(World world, Random random) throws Exception {
        int victim = random.nextInt(world.workers().size());
        world.events().add("kill -9 " + world.workers().get(victim).name());
        world.workers().get(victim).kill();
        Strike.pause(random, 0, 1500);
        world.replace(victim);
        world.events().add("started again");
    }

    static void killAll(World world, Random random) throws Exception {
        world.events().add("kill -9 of all");
        for (Worker worker : world.workers()) {
            worker.kill();
        }
        for (int i = 0; i < world.workers().size(); i++) {
            world.replace(i);
        }
        world.events().add("started again");
    }

    static void freeze(World world, Random random) throws Exception {
        Worker victim = any(world, random);
        world.events().add("SIGSTOP of " + victim.name());
        victim.freeze();
        Strike.pause(random, 500, (int) WorkerProgram.LEASE.multipliedBy(5).toMillis());
        victim.thaw();
        world.events().add("SIGCONT");
    }

    static void rollingRestart(World world, Random random) throws Exception {
        for (int i = 0; i < world.workers().size(); i++) {
            world.events().add("end of " + world.workers().get(i).name());
            world.workers().get(i).end();
            world.replace(i);
        }
        world.events().add("all started again");
    }

    static void comeAndGo(World world, Random random) throws Exception {
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            try (Worker guest = world.start("guest-" + i)) {
                guest.awaitRunning();
                world.events().add(guest.name() + " joined");
                Strike.pause(random, 0, 1500);
                if (random.nextBoolean()) {
                    guest.end();
                } else {
                    guest.kill();
                }
                world.events().add(guest.name() + " left");
            }
        }
    }

    static void wrongClock(World world, Random random) throws Exception {
        int victim = random.nextInt(world.workers().size());
        // Kafka refuses what comes from more than an hour ahead, and the relay waits for somebody to correct the clock.
        int most = world.scenario().has(Part.KAFKA) || world.scenario().has(Part.KAFKA_AGAIN) ? 3_000 : 100_000;
        int seconds = (random.nextBoolean() ? 1 : -1) * (1 + random.nextInt(most));
        world.replaceWithClock(victim, seconds);
        world.events().add("the clock of " + world.workers().get(victim).name() + " is " + seconds + " s off");
        Strike.pause(random, 500, 2500);
    }

    static void heapFull(World world, Random random) throws Exception {
        Worker victim = any(world, random);
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            world.events().add("the heap of " + victim.name() + " is full");
            victim.fillTheHeap();
            Strike.pause(random, 0, 300);
        }
    }

    static void poolRefuses(World world, Random random) throws Exception {
        world.events().add("pools refuse");
        for (Worker worker : world.workers()) {
            worker.say("refuse");
        }
        Strike.pause(random, 200, 3000);
        for (Worker worker : world.workers()) {
            worker.say("give");
        }
        world.events().add("pools give");
    }

    private static Worker any(World world, Random random) {
        return world.workers().get(random.nextInt(world.workers().size()));
    }
}
