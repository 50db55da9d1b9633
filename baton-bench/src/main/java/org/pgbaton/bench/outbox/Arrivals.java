package org.pgbaton.bench.outbox;

import java.util.Arrays;
import java.util.BitSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What a consumer has seen of so many messages, when, and whether each key's came in the order in which they were written. Thread-safe.
 */
final class Arrivals {
    private final int messages;
    private final BitSet seen;
    /** By number; 0 as long as it has not come. */
    private final long[] at;
    /** By arrival. */
    private final long[] order;

    private final int[] furthest = new int[Messages.KEYS];
    private int arrived;
    private int again;
    private int overtaken;
    private int strange;

    Arrivals(int messages) {
        this.messages = messages;
        this.seen = new BitSet(messages);
        this.at = new long[messages];
        this.order = new long[messages];
        Arrays.fill(furthest, -1);
    }

    synchronized void add(Iterable<ConsumerRecord<byte[], byte[]>> records, long now) {
        for (ConsumerRecord<byte[], byte[]> each : records) {
            try {
                add(Messages.numberIn(each.value()), now);
            } catch (IllegalArgumentException nobodys) {
                strange++;
            }
        }
    }

    private void add(int number, long now) {
        if (number >= messages) {
            strange++;
        } else if (seen.get(number)) {
            again++;
        } else {
            seen.set(number);
            at[number] = now;
            order[arrived++] = now;
            int key = Messages.keyOf(number);
            overtaken += number < furthest[key] ? 1 : 0;
            furthest[key] = Math.max(furthest[key], number);
        }
    }

    synchronized boolean isComplete() {
        return arrived == messages;
    }

    synchronized int arrived() {
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
    synchronized String words() {
        return arrived + "\t" + (messages - arrived) + "\t" + again + "\t" + overtaken + "\t" + strange + "\t"
                + counted() + "\t" + nanos();
    }

    /**
     * How long each of these took, in nanoseconds, sorted. One that came before its writer heard of it took no time; one that has not come
     * has taken at least as long as until now.
     */
    synchronized long[] latencies(int[] numbers, long[] committed) {
        long now = System.nanoTime();
        long[] taken = new long[numbers.length];
        for (int i = 0; i < taken.length; i++) {
            taken[i] = Math.max(0, (seen.get(numbers[i]) ? at[numbers[i]] : now) - committed[i]);
        }
        Arrays.sort(taken);
        return taken;
    }
}
