package org.pgbaton.kafka.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * The records of one transaction to which Kafka has answered, whatever its answer. Waits until all are answered, but not for a partition
 * that stays silent while others answer. Thread-safe.
 */
final class AnsweredRecords {
    /** How long the others are waited for after the last answer. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private final List<Message> messages;
    private final BitSet answered = new BitSet();
    private final Duration longest;
    private boolean any;
    private long lastAt = System.nanoTime();
    private @Nullable Thread waiting;
    private boolean enough;

    /** @param longest if nobody answers at all */
    AnsweredRecords(List<Message> messages, Duration longest) {
        this.messages = messages;
        this.longest = longest;
    }

    synchronized void add(int message) {
        answered.set(message);
        any = true;
        lastAt = System.nanoTime();
    }

    /** To a record that is no message. */
    synchronized void add() {
        any = true;
        lastAt = System.nanoTime();
    }

    /** Whether the target answers at all. */
    synchronized boolean any() {
        return any;
    }

    /** @return the messages without an answer when there is no point in waiting longer; empty if all have one */
    List<Message> await(Producer<byte[], byte[]> producer, ScheduledThreadPoolExecutor clock) {
        synchronized (this) {
            waiting = Thread.currentThread();
            lastAt = System.nanoTime();
        }
        Future<?> watch = clock.scheduleWithFixedDelay(this::watch, 500, 500, TimeUnit.MILLISECONDS);
        try {
            producer.flush();
        } catch (InterruptException interrupted) {
            if (!isEnough()) {
                throw interrupted;
            }
        } finally {
            watch.cancel(false);
            end();
        }
        return left();
    }

    private synchronized void watch() {
        Thread thread = waiting;
        Duration patience = any ? SILENCE : longest;
        if (thread != null && !enough && System.nanoTime() - lastAt > patience.toNanos()) {
            enough = true;
            thread.interrupt();
        }
    }

    private synchronized boolean isEnough() {
        return enough;
    }

    private synchronized void end() {
        waiting = null;
        if (enough) {
            Thread.interrupted(); // we were the ones who interrupted it, to end the waiting
        }
    }

    private synchronized List<Message> left() {
        List<Message> left = new ArrayList<>();
        for (int i = answered.nextClearBit(0); i < messages.size(); i = answered.nextClearBit(i + 1)) {
            left.add(messages.get(i));
        }
        return left;
    }
}
