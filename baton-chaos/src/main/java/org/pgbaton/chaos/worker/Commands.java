package org.pgbaton.chaos.worker;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.Health;

/** What a {@link WorkerProgram} can be told while it runs; each answer is a line on standard output. */
final class Commands {
    private final Baton baton;
    private final Pool pool;

    Commands(Baton baton, Pool pool) {
        this.baton = baton;
        this.pool = pool;
    }

    void run(String line) {
        switch (line) {
            case "health" -> System.out.println("HEALTH " + health(baton.health()));
            case "measure" -> System.out.println("MEASURE " + threads() + " " + heap());
            case "refuse" -> pool.refuse(true);
            case "give" -> pool.refuse(false);
            case "fill the heap" -> fillTheHeap();
            default -> System.out.println("UNKNOWN " + line);
        }
    }

    /** On one line. */
    private static String health(Health health) {
        return (health.isHealthy() ? "well" : "troubled: " + health).replaceAll("\\R", " ");
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    /** In kilobytes, after a collection. */
    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024;
    }

    /** Until this thread gets no more memory; whoever else wants some at that moment gets none, either. */
    private static void fillTheHeap() {
        List<byte[]> hoard = new ArrayList<>();
        try {
            while (true) {
                hoard.add(new byte[100_000]);
            }
        } catch (OutOfMemoryError full) {
            int blocks = hoard.size();
            hoard.clear();
            System.out.println("FULL " + blocks);
        }
    }
}
