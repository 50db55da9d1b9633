package org.pgbaton.chaos.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.pgbaton.chaos.device.Cable;
import org.pgbaton.chaos.worker.WorkerProgram;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.Worker;
import org.pgbaton.chaos.world.Workers;
import org.pgbaton.chaos.world.World;

/** What can happen between the processes of Baton and PostgreSQL. */
final class NetworkFaults {
    private NetworkFaults() {}

    static void replyLost(World world, Random random) throws Exception {
        int answers = 1 + random.nextInt(8);
        world.events().add("the answers to " + answers + " commits are lost");
        world.proxy().loseAnswers(answers);
        Wait.until(Duration.ofSeconds(3), () -> world.proxy().answersToLose() == 0);
        world.proxy().loseAnswers(0);
    }

    static void hangUp(World world, Random random) throws Exception {
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            world.events().add("all connections break");
            world.proxy().hangUp();
            Wait.between(random, 50, 1000);
        }
    }

    static void stall(World world, Random random) throws Exception {
        world.events().add("nothing comes through");
        world.proxy().stop();
        long begun = world.events().millis();
        Wait.between(random, 300, (int) WorkerProgram.LEASE.multipliedBy(3).toMillis());
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
        Wait.between(random, 1000, 4000);
        world.proxy().delay(0);
        world.events().add("each way takes no time");
    }

    /** One process after the other. Its targets can be reached all the time. */
    static void cut(World world, Random random) throws Exception {
        List<Cable> cables = behindCables(world);
        List<Integer> order = new ArrayList<>(List.of(0, 1, 2));
        Collections.shuffle(order, random);
        for (int victim : order) {
            Worker worker = world.workers().get(victim);
            world.events().add("cut of " + worker.name());
            cables.get(victim).cut();
            long begun = world.events().millis();
            Wait.between(random, 300, (int) WorkerProgram.LEASE.multipliedBy(4).toMillis());
            if (world.events().millis() - begun > WorkerProgram.LEASE.toMillis() + 1000) {
                world.askForHealth(worker, "it is cut off");
            }
            cables.get(victim).mend();
            world.events().add("mended");
            Wait.between(random, 0, 1500);
        }
    }

    static void loss(World world, Random random) throws Exception {
        List<Cable> cables = behindCables(world);
        int kilobits = 300 + random.nextInt(2000);
        int percent = 2 + random.nextInt(20);
        world.events().add(percent + " % of all packets are lost; " + kilobits + " kbit/s for each process");
        for (Cable cable : cables) {
            cable.worsen(kilobits, percent);
        }
        Wait.between(random, 2000, 8000);
        long lost = 0;
        for (Cable cable : cables) {
            lost += cable.improve();
        }
        world.events().add(lost + " packets were lost; no more are");
    }

    private static List<Cable> behindCables(World world) throws Exception {
        List<Cable> cables = new ArrayList<>();
        for (int i = 0; i < Workers.COUNT; i++) {
            cables.add(world.workers().replaceBehindCable(i));
        }
        world.workers().awaitRunning();
        world.events().add("all processes are at the end of a cable");
        // Until each of them owns a lane, if there are enough.
        Wait.until(
                Duration.ofSeconds(5),
                () -> Long.parseLong(world.database()
                                .one("SELECT count(DISTINCT owner) FROM baton.checkpoint WHERE owner LIKE 'worker-%'"))
                        == Workers.COUNT);
        return cables;
    }
}
