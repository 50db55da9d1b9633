package org.pgbaton.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Messages of one key that were handed over together, in order. They go to one topic. Once one of them has failed, none behind it is sent.
 * Thread-safe once all messages are added.
 */
final class MessageGroup {
    final String topic;
    /** When it was handed over, on the monotonic clock. */
    final long since;

    final CompletableFuture<Void> published = new CompletableFuture<>();

    /** Why no producer has it yet. */
    volatile @Nullable Throwable lastTrouble;

    private final Delivery delivery;

    // Guarded by this.
    /** Those that Kafka has not confirmed. */
    private final Deque<PendingRecord> unconfirmed = new ArrayDeque<>();

    MessageGroup(String topic, Delivery delivery, long now) {
        this.topic = topic;
        this.delivery = delivery;
        this.since = now;
    }

    synchronized void add(Message message, ProducerRecord<byte[], byte[]> record) {
        unconfirmed.add(new PendingRecord(this, message, record));
    }

    synchronized List<PendingRecord> records() {
        return List.copyOf(unconfirmed);
    }

    synchronized PendingRecord first() {
        return unconfirmed.getFirst();
    }

    /** Kafka has the next of its messages. */
    void confirmed(PendingRecord record) {
        boolean all;
        synchronized (this) {
            unconfirmed.remove(record);
            all = unconfirmed.isEmpty();
        }
        if (all) {
            published.complete(null);
        }
    }

    /**
     * Why nothing more of it should be sent; null if it may. Asked when nothing of it is on its way.
     *
     * @param longest that it may take
     */
    @Nullable
    HandlerException objection(Duration longest) {
        if (!delivery.isCurrent()) {
            return new HandlerException(Verdict.LATER, "Another process may have the lane of " + first().message + ".");
        }
        return System.nanoTime() - since > longest.toNanos()
                ? new HandlerException(
                        Verdict.OUTAGE,
                        first().message + " was not published within " + longest.toSeconds()
                                + " s: others of its partition were before it.")
                : null;
    }

    /**
     * It has failed with this record. What comes before counts as published, so if a record before it is not confirmed, nobody knows more
     * than that, and the failure is about that one.
     */
    void failed(PendingRecord record, HandlerException failure) {
        PendingRecord first = first();
        HandlerException told = first == record
                ? failure
                : new HandlerException(Verdict.OUTAGE, String.valueOf(failure.getMessage()), failure.getCause());
        published.completeExceptionally(told.about(first.message));
    }

    boolean hasFailed() {
        return published.isCompletedExceptionally();
    }
}
