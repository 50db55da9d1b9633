package org.pgbaton.chaos.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.pgbaton.chaos.device.SlowStandby;
import org.pgbaton.chaos.device.SmallDisk;
import org.pgbaton.chaos.worker.WorkerProgram;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.World;

/** What can happen to the disk of PostgreSQL. */
final class DiskFaults {
    private DiskFaults() {}

    static void full(World world, Random random) throws Exception {
        world.events().add("the tables go to a small disk");
        SmallDisk disk = SmallDisk.under(world.database());
        world.closeAtTheEnd(disk);
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            Wait.between(random, 100, 1000);
            long before = refused(world);
            disk.fill();
            world.events().add("the disk is full");
            Wait.between(random, 1000, 5000);
            disk.free();
            world.events().add("the disk has room; " + (refused(world) - before) + " statements had found none");
        }
    }

    /** So far; as the server's log says. */
    private static long refused(World world) throws IOException {
        try (Stream<String> lines = Files.lines(world.server().postgres().logFile())) {
            return lines.filter(line -> line.contains("No space left on device"))
                    .count();
        }
    }

    static void slow(World world, Random random) throws Exception {
        int millis = 20 + random.nextInt(300);
        try (SlowStandby disk = SlowStandby.start(world.database(), millis)) {
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                world.events().add("the disk takes " + millis + " ms to write; a commit took " + commit(world) + " ms");
                Wait.between(random, 1000, 3000);
                world.events().add("the disk hangs");
                disk.confirmAfter((int) WorkerProgram.LEASE.toMillis() * 10);
                Wait.between(
                        random, 100, (int) WorkerProgram.LEASE.multipliedBy(2).toMillis());
                disk.confirmAfter(millis);
            }
        }
        world.events().add("the disk is fast; a commit took " + commit(world) + " ms");
    }

    private static long commit(World world) throws SQLException {
        long begun = System.nanoTime();
        world.database().execute("DELETE FROM public.failing; INSERT INTO public.failing VALUES ('nobody')");
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    }
}
