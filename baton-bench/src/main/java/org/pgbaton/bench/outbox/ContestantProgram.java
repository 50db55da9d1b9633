package org.pgbaton.bench.outbox;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.pgbaton.bench.PlayerLoop;

/**
 * One process of a contestant: {@code CLASS [name=value…]}. The class has a constructor for the map of these and, if it wants to have
 * one, the {@link Producer} as a function of key and payload; it has no need to know this program. What relays is a {@link Runnable},
 * which returns when it is under way; what writes to the outbox is a {@link BiConsumer}, which takes a key and a payload, commits, and is
 * called by several threads. Needs nothing but the JDK and Kafka's client, because it runs with the class path of each peer.
 *
 * <ul>
 *   <li>{@code begin}: relays from now on
 *   <li>{@code fill FROM TO}: writes these messages, as fast as it can
 *   <li>{@code write FROM TO RATE FILE}: writes them at so many a second, and then to the file when each was committed
 * </ul>
 */
final class ContestantProgram {
    /** Divides the number of keys, so each key has one writer and an order. */
    private static final int FILLERS = 8;

    private static final int WRITERS = 5;

    private final Object contestant;

    private ContestantProgram(Object contestant) {
        this.contestant = contestant;
    }

    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 1; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            options.put(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
        }
        Constructor<?> constructor = Class.forName(arguments[0]).getDeclaredConstructors()[0];
        Object contestant = constructor.getParameterCount() == 1
                ? constructor.newInstance(options)
                : constructor.newInstance(options, new Producer(options));
        PlayerLoop.run(new ContestantProgram(contestant)::play);
    }

    private String play(String[] words) throws Exception {
        switch (words[0]) {
            case "begin" -> ((Runnable) contestant).run();
            case "fill" -> write(FILLERS, Integer.parseInt(words[1]), Integer.parseInt(words[2]), 0);
            case "write" -> {
                int from = Integer.parseInt(words[1]);
                long[] committed = write(WRITERS, from, Integer.parseInt(words[2]), Integer.parseInt(words[3]));
                List<String> lines = new ArrayList<>();
                for (int i = 0; i < committed.length; i++) {
                    lines.add(from + i + "\t" + committed[i]);
                }
                Files.write(Path.of(words[4]), lines);
            }
            default -> throw new IllegalArgumentException("unknown: " + words[0]);
        }
        return "";
    }

    /** @return when each was committed */
    private long[] write(int writers, int from, int to, int perSecond) throws InterruptedException {
        @SuppressWarnings("unchecked")
        BiConsumer<String, String> outbox = (BiConsumer<String, String>) contestant;
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
                                outbox.accept(Messages.key(n), Messages.payload(n));
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
        return committed;
    }

    /** Not quite evenly, so as not to beat in time with anything that has a beat of its own. */
    private static void awaitTurn(long begin, int number, int perSecond) {
        double uneven = (((number * 0x9E3779B9L) >>> 16) & 0xFF) / 512.0;
        long at = begin + (long) ((number + uneven) * 1e9 / perSecond);
        while (System.nanoTime() < at) {
            LockSupport.parkNanos(at - System.nanoTime());
        }
    }
}
