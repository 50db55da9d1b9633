package org.pgbaton.chaos;

import java.time.Duration;
import java.util.Random;
import org.pgbaton.chaos.worker.WorkerProgram;

/** What can happen between the processes of Baton and PostgreSQL. */
final class NetworkFaults {
    private NetworkFaults() {}

    static void replyLost(World world, Random random) throws Exception {
        int answers = 1 + random.nextInt(8);
        world.events().add("the answers to " + answers + " commits are lost");
        world.proxy().loseAnswers(answers);
        World.await(Duration.ofSeconds(3), () -> world.proxy().answersToLose() == 0);
        world.proxy().loseAnswers(0);
    }

    static void hangUp(World world, Random random) throws Exception {
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            world.events().add("all connections break");
            world.proxy().hangUp();
            Strike.pause(random, 50, 1000);
        }
    }

    static void stall(World world, Random random) throws Exception {
        world.events().add("nothing comes through");
        world.proxy().stop();
        long begun = world.events().millis();
        Strike.pause(random, 300, (int) WorkerProgram.LEASE.multipliedBy(3).toMillis());
        if (world.events().millis() - begun > WorkerProgram.LEASE.toMillis() + 1000) {
            world.askForHealth("nothing comes through");
        }
        world.proxy().goOn();
        world.events().add("everything comes through");
    }

    static void latency(World world, Random random) {
        int millis = 1 + random.nextInt(40);
        world.events().add("each way takes " + millis + " ms");
        world.proxy().delay(millis);
        Strike.pause(random, 1000, 4000);
        world.proxy().delay(0);
        world.events().add("each way takes no time");
    }
}
