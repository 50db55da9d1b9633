package org.pgbaton.chaos.fault;

import java.util.Random;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.worker.WorkerProgram;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.Worker;
import org.pgbaton.chaos.world.Workers;
import org.pgbaton.chaos.world.World;

/** What can happen to the processes of Baton. */
final class ProcessFaults {
    private ProcessFaults() {}

    static void kill(World world, Random random) throws Exception {
        int victim = random.nextInt(Workers.COUNT);
        world.events().add("kill -9 " + world.workers().get(victim).name());
        world.workers().get(victim).kill();
        Wait.between(random, 0, 1500);
        world.workers().replace(victim);
        world.events().add("started again");
    }

    static void killAll(World world, Random random) throws Exception {
        world.events().add("kill -9 of all");
        for (Worker worker : world.workers()) {
            worker.kill();
        }
        world.workers().replaceAll();
        world.events().add("started again");
    }

    static void freeze(World world, Random random) throws Exception {
        Worker victim = world.workers().any(random);
        world.events().add("SIGSTOP of " + victim.name());
        victim.freeze();
        Wait.between(random, 500, (int) WorkerProgram.LEASE.multipliedBy(5).toMillis());
        victim.thaw();
        world.events().add("SIGCONT");
    }

    static void rollingRestart(World world, Random random) throws Exception {
        for (int i = 0; i < Workers.COUNT; i++) {
            world.events().add("end of " + world.workers().get(i).name());
            world.workers().get(i).end();
            world.workers().replace(i);
        }
        world.events().add("all started again");
    }

    static void comeAndGo(World world, Random random) throws Exception {
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            try (Worker guest = world.workers().start("guest-" + i)) {
                guest.awaitRunning();
                world.events().add(guest.name() + " joined");
                Wait.between(random, 0, 1500);
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
        int victim = random.nextInt(Workers.COUNT);
        // Kafka refuses what comes from more than an hour ahead, and the relay waits for somebody to correct the clock.
        int most = world.scenario().has(Part.KAFKA) || world.scenario().has(Part.KAFKA_AGAIN) ? 3_000 : 100_000;
        int seconds = (random.nextBoolean() ? 1 : -1) * (1 + random.nextInt(most));
        world.workers().replaceWithClock(victim, seconds);
        world.events().add("the clock of " + world.workers().get(victim).name() + " is " + seconds + " s off");
        Wait.between(random, 500, 2500);
    }

    static void heapFull(World world, Random random) throws Exception {
        Worker victim = world.workers().any(random);
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            world.events().add("the heap of " + victim.name() + " is full");
            victim.fillTheHeap();
            Wait.between(random, 0, 300);
        }
    }

    static void poolRefuses(World world, Random random) throws Exception {
        world.events().add("pools refuse");
        for (Worker worker : world.workers()) {
            worker.say("refuse");
        }
        Wait.between(random, 200, 3000);
        for (Worker worker : world.workers()) {
            worker.say("give");
        }
        world.events().add("pools give");
    }
}
