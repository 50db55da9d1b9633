package org.pgbaton.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * Several threads that write numbered messages. Number {@code n} is always written by thread {@code n} modulo the
 * number of threads. Needs nothing but the JDK.
 */
public final class Writing {
    private final int from;
    private final long[] committed;

    private Writing(int from, long[] committed) {
        this.from = from;
        this.committed = committed;
    }

    /**
     * @param perSecond of all threads together; 0: as fast as they can
     * @param write writes the number of a message, and commits
     */
    public static Writing run(int writers, int from, int to, int perSecond, IntConsumer write)
            throws InterruptedException {
        long[] committed = new long[to - from];
        AtomicReference<Throwable> failure = new AtomicReference<>();
        long begin = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            int first = from + writer;
            Thread thread = new Thread(
                    () -> {
                        try {
                            for (int n = first; n < to; n += writers) {
                                if (perSecond > 0) {
                                    awaitTurn(begin, n - from, perSecond);
                                }
                                write.accept(n);
                                committed[n - from] = System.nanoTime();
                            }
                        } catch (Throwable failed) {
                            failure.compareAndSet(null, failed);
                        }
                    },
                    "writer-" + writer);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new IllegalStateException("a writer failed: " + failure.get(), failure.get());
        }
        return new Writing(from, committed);
    }

    /** Slightly uneven, so that the writes do not run in step with anything else that is periodic. */
    private static void awaitTurn(long begin, int number, int perSecond) {
        double uneven = (((number * 0x9E3779B9L) >>> 16) & 0xFF) / 512.0;
        long at = begin + (long) ((number + uneven) * 1e9 / perSecond);
        while (System.nanoTime() < at) {
            LockSupport.parkNanos(at - System.nanoTime());
        }
    }

    /** Writes each number and the time of its commit to a file, for {@link Arrivals#latency}. */
    public void save(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < committed.length; i++) {
            lines.add(from + i + "\t" + committed[i]);
        }
        Files.write(file, lines);
    }
}
