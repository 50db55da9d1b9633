package org.pgbaton.chaos.round;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how much of a processor a thread gets during a round: it does a little work again and again, and compares the time that it takes
 * with the time that it computes. On a machine that is busy with something else no process can be in time, and promises about times say nothing.
 *
 * <p>A thread of its own measures; any may ask.
 */
final class ProcessorShare implements AutoCloseable {
    private static final long WORK_NANOS = 2_000_000;
    private static final long EVERY_NANOS = 100_000_000;
    /** About two seconds. */
    private static final int WINDOW = 20;

    /** With less of a processor than this for two seconds, no process can be in time. */
    private static final double LEAST = 0.08;

    private record Work(long took, long computed) {}

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Deque<Work> latest = new ArrayDeque<>();
    private final Thread thread = new Thread(this::run, "chaos-processor-share");
    private volatile double smallest = 1;
    private volatile boolean isClosed;

    private ProcessorShare() {}

    static ProcessorShare measure() {
        ProcessorShare share = new ProcessorShare();
        share.thread.setDaemon(true);
        share.thread.start();
        return share;
    }

    boolean isTooSmall() {
        return smallest < LEAST;
    }

    /** Why a round says nothing about times. */
    String tooSmall() {
        return String.format(
                Locale.ROOT, "the machine was too busy to keep times (%.0f %% of a processor)", 100 * smallest);
    }

    private void run() {
        while (!isClosed) {
            latest.addLast(work());
            if (latest.size() > WINDOW) {
                latest.removeFirst();
                double took = latest.stream().mapToLong(Work::took).sum();
                double computed = latest.stream().mapToLong(Work::computed).sum();
                smallest = Math.min(smallest, computed / took);
            }
            LockSupport.parkNanos(EVERY_NANOS);
        }
    }

    private Work work() {
        long begun = System.nanoTime();
        long before = threads.getCurrentThreadCpuTime();
        long computed = 0;
        while (computed < WORK_NANOS) {
            Thread.onSpinWait();
            computed = threads.getCurrentThreadCpuTime() - before;
        }
        return new Work(System.nanoTime() - begun, computed);
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
