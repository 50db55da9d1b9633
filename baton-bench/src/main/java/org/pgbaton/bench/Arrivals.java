package org.pgbaton.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;

/**
 * The messages that a consumer has seen: which ones, when, and whether those of each key came in the order in which
 * they were written. Message number {@code n} has the key {@code n} modulo the number of keys. Needs nothing but the
 * JDK. Thread-safe.
 */
public final class Arrivals {
    private final int messages;
    private final int keys;
    private final BitSet seen;
    /** By number; 0 as long as it has not come. */
    private final long[] at;
    /** By arrival. */
    private final long[] order;

    private final int[] furthest;
    private int arrived;
    private int again;
    private int overtaken;
    private int strange;

    /** @param keys the number of keys; 1 for one order of all messages */
    public Arrivals(int messages, int keys) {
        this.messages = messages;
        this.keys = keys;
        this.furthest = new int[keys];
        this.seen = new BitSet(messages);
        this.at = new long[messages];
        this.order = new long[messages];
        Arrays.fill(furthest, -1);
    }

    /** A message that nobody wrote has arrived. */
    public synchronized void addStrange() {
        strange++;
    }

    public synchronized void add(int number, long now) {
        if (number < 0 || number >= messages) {
            strange++;
        } else if (seen.get(number)) {
            again++;
        } else {
            seen.set(number);
            at[number] = now;
            order[arrived++] = now;
            int key = number % keys;
            overtaken += number < furthest[key] ? 1 : 0;
            furthest[key] = Math.max(furthest[key], number);
        }
    }

    public synchronized boolean isComplete() {
        return arrived == messages;
    }

    public synchronized int arrived() {
        return arrived;
    }

    /** The first fifth, when processes join and code is compiled, does not count. */
    private int counted() {
        return arrived - arrived / 5;
    }

    private long nanos() {
        return arrived == 0 ? 1 : Math.max(1, order[arrived - 1] - order[arrived / 5]);
    }

    /** Arrived, missing, again, overtaken, strange; and how many count, in how many nanoseconds. */
    public synchronized String words() {
        return arrived + "\t" + (messages - arrived) + "\t" + again + "\t" + overtaken + "\t" + strange + "\t"
                + counted() + "\t" + nanos();
    }

    /**
     * How long the messages took that are listed, with the times of their commits, in a file of {@link Writing#save}. A
     * message that came before its writer's commit returned took no time. A message that has not come has taken at
     * least until now.
     *
     * @return p50, p99 and the worst in microseconds, as words
     */
    public synchronized String latency(Path file) throws IOException {
        long now = System.nanoTime();
        List<Long> taken = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            String[] words = line.split("\t", -1);
            int number = Integer.parseInt(words[0]);
            taken.add(Math.max(0, (seen.get(number) ? at[number] : now) - Long.parseLong(words[1])));
        }
        Collections.sort(taken);
        return rank(taken, 50) + "\t" + rank(taken, 99) + "\t" + rank(taken, 100);
    }

    private static long rank(List<Long> sorted, int percent) {
        return sorted.get(Math.max(0, (int) Math.ceil(sorted.size() * percent / 100.0) - 1)) / 1000;
    }
}
