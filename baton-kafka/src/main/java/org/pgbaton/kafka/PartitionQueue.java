package org.pgbaton.kafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.KafkaVerdicts;
import org.pgbaton.subscription.HandlerException;

/**
 * The records for one partition, in order. One batch of them is on its way at a time.
 *
 * <p>Guarantee: a record arrives only if those before it of its {@linkplain MessageGroup group} have arrived. A batch is accepted or refused
 * as a whole, and the next one is sent when it is answered. If a batch is refused, its records are sent again one by one, so that only the
 * one at fault fails; what follows that one in its group is not sent.
 *
 * <p>Protocol: a batch of several records is put together on the producer's own thread, when the batch before it is answered. That thread
 * also sends, so Kafka's client cannot send a part of the batch while we add to it. When nothing is on its way, another thread begins,
 * with a single record. Batches are smaller than {@code batch.size}, so that the client does not make two of one.
 *
 * <p>There is one case in which the client takes a batch apart: the broker says that it is too large. The producer has one request under
 * way ({@code max.in.flight.requests.per.connection} is 1), so when a part is refused, the parts behind it are not sent yet. The producer
 * is closed at that moment, before it can send them. Whether batches were taken apart is known from the client's own count.
 *
 * <p>Before a group is gone on with, and nothing of it is on its way, it is asked whether its time is over, or its lane may have another
 * owner by now: a process that was frozen does not send what it has in its queues.
 *
 * <p>Thread-safe.
 */
final class PartitionQueue implements PendingRecord.Answers {
    private final RecordSender sender;
    private final boolean together;

    // Guarded by this.
    private final Deque<PendingRecord> waiting = new ArrayDeque<>();
    private final BatchLimit limit;
    /** Whether a batch is on its way, or somebody is about to send one. */
    private boolean busy;

    private boolean stalled;
    private long stalledSince;

    // Only by the thread that sends, then by the producer's.
    private volatile Batch batch = new Batch(null, List.of(), null);

    /** What is on its way. */
    private static final class Batch {
        private final @Nullable Producer<byte[], byte[]> by;
        private final List<PendingRecord> records;
        private final Map<PendingRecord, Exception> failures = new HashMap<>();
        private final @Nullable Metric takenApart;
        private final Object before;
        private int unanswered;

        /** @param takenApart counts the batches that the producer takes apart */
        private Batch(@Nullable Producer<byte[], byte[]> by, List<PendingRecord> records, @Nullable Metric takenApart) {
            this.by = by;
            this.records = records;
            this.unanswered = records.size();
            this.takenApart = takenApart;
            this.before = count();
        }

        private Object count() {
            return takenApart == null ? 0 : takenApart.metricValue();
        }

        private boolean isOfSeveral() {
            return records.size() > 1;
        }

        private boolean mayBeTakenApart() {
            return isOfSeveral() && !count().equals(before);
        }

        private int bytes() {
            return records.stream().mapToInt(record -> record.size).sum();
        }
    }

    /**
     * @param together whether records may share a batch
     * @param most bytes of records in a batch
     */
    PartitionQueue(RecordSender sender, boolean together, int most) {
        this.sender = sender;
        this.together = together;
        this.limit = new BatchLimit(most);
    }

    void add(MessageGroup group) {
        synchronized (this) {
            waiting.addAll(group.records());
            if (busy) {
                return;
            }
            busy = true;
        }
        send(null);
    }

    /** Whether something is on its way, or waits. */
    synchronized boolean isBusy() {
        return busy;
    }

    /** Goes on after a pause, on the sender's own thread. */
    void goOn() {
        send(null);
    }

    /** Fails what waits here if no producer has taken anything for this long. */
    void failIfStalledFor(long nanos, Supplier<Throwable> cause) {
        boolean over;
        synchronized (this) {
            over = stalled && System.nanoTime() - stalledSince > nanos;
        }
        if (over) {
            failWaiting(cause.get());
        }
    }

    /**
     * Only by the one thread that made it busy.
     *
     * @param ours the producer whose thread this is; null if it is another thread
     */
    private void send(@Nullable Producer<byte[], byte[]> ours) {
        while (true) {
            Producer<byte[], byte[]> current = sender.current().get();
            if (current == null) {
                stall();
                return;
            }
            List<PendingRecord> next = take(together && current == ours);
            if (next.isEmpty()) {
                if (rest()) {
                    continue;
                }
                return;
            }
            batch = new Batch(current, next, sender.current().takenApart());
            if (!hand(batch, current)) {
                return;
            }
        }
    }

    /** @return whether nothing of it is on its way, and others may be tried */
    private boolean hand(Batch sent, Producer<byte[], byte[]> to) {
        for (int at = 0; at < sent.records.size(); at++) {
            PendingRecord record = sent.records.get(at);
            Exception refused = record.hand(to, this);
            if (refused != null) {
                boolean fails = fails(record, refused, to);
                // Answers come on this thread, or there is only this record: so nobody else looks at the batch now.
                putBack(sent.records.subList(fails ? at + 1 : at, sent.records.size()));
                sent.unanswered = at;
                if (at == 0 && !fails) {
                    stall();
                } else if (at == 0) {
                    sender.fail(record, refused);
                } else if (fails) {
                    sent.failures.put(record, refused); // it fails when those before it are answered
                }
                return at == 0 && fails;
            }
        }
        return false;
    }

    /** @return false if the record has to wait; else its group fails */
    private boolean fails(PendingRecord record, Exception refused, Producer<byte[], byte[]> by) {
        record.group.lastTrouble = refused;
        if (KafkaVerdicts.passes(refused) || refused instanceof InterruptException) {
            return false;
        }
        boolean broken = KafkaVerdicts.endsProducer(refused) || isUnspecific(refused);
        if (broken) {
            sender.replace(by);
        }
        if (broken && !(KafkaVerdicts.root(refused) instanceof ApiException)) {
            return false; // an earlier failure; the next producer may take the record
        }
        return true;
    }

    private void stall() {
        synchronized (this) {
            stalledSince = stalled ? stalledSince : System.nanoTime();
            stalled = true;
        }
        if (!sender.stall(this)) {
            failWaiting(RecordSender.closedMeanwhile());
            rest();
        }
    }

    private List<PendingRecord> take(boolean several) {
        List<PendingRecord> next = new ArrayList<>();
        int bytes = 0;
        for (PendingRecord first = peek(); first != null; first = peek()) {
            boolean isNewGroup = next.isEmpty() || next.get(next.size() - 1).group != first.group;
            HandlerException objection = isNewGroup ? first.group.objection(sender.timeout()) : null;
            synchronized (this) {
                if (waiting.peek() != first) {
                    continue; // all that waited has failed meanwhile
                }
                boolean fits = next.isEmpty() || (several && !first.alone && bytes + first.size <= limit.bytes());
                if (objection == null && !fits) {
                    break;
                }
                waiting.remove();
            }
            if (objection != null) {
                sender.fail(first, objection);
                continue;
            }
            next.add(first);
            bytes += first.size;
            if (first.alone) {
                break;
            }
        }
        return next;
    }

    /** The first record whose group has not failed; null if there is none. */
    private synchronized @Nullable PendingRecord peek() {
        while (!waiting.isEmpty() && waiting.getFirst().group.hasFailed()) {
            waiting.removeFirst();
        }
        return waiting.peek();
    }

    /** @return whether there is something to go on with after all */
    private synchronized boolean rest() {
        busy = !waiting.isEmpty();
        stalled &= busy;
        return busy;
    }

    private synchronized void putBack(List<PendingRecord> records) {
        for (int at = records.size() - 1; at >= 0; at--) {
            waiting.addFirst(records.get(at));
        }
    }

    @Override
    public void answered(PendingRecord record, @Nullable Exception failure) {
        Batch sent = batch;
        if (failure == null) {
            record.group.confirmed(record);
        } else {
            sent.failures.put(record, failure);
            boolean tooLarge = sent.isOfSeveral() && KafkaVerdicts.root(failure) instanceof RecordTooLargeException;
            if ((tooLarge || sent.mayBeTakenApart()) && sent.by != null) {
                sender.current().closeAtOnce(sent.by);
            }
        }
        sent.unanswered--;
        if (sent.unanswered == 0) {
            synchronized (this) {
                stalled = false;
                learn(sent);
            }
            settle(sent);
            send(sent.by);
        }
    }

    /** In the order of the records, whatever the order of the answers. */
    private void settle(Batch sent) {
        List<PendingRecord> again = new ArrayList<>();
        Exception outage = null;
        for (PendingRecord record : sent.records) {
            Exception failure = sent.failures.get(record);
            if (failure == null) {
                continue;
            }
            record.group.lastTrouble = failure;
            if (isUnspecific(failure)) {
                // Another record of its batch was refused, and this one with it; or the producer was closed, or cannot
                // go on.
                record.alone |= sent.isOfSeveral();
                again.add(record);
            } else if (sent.isOfSeveral() && !sender.isOfTheWholeTarget(failure)) {
                record.alone = true;
                again.add(record);
            } else {
                outage = outage == null && sender.isOfTheWholeTarget(failure) ? failure : outage;
                if (KafkaVerdicts.endsProducer(failure) && sent.by != null) {
                    sender.replace(sent.by);
                }
                sender.fail(record, failure);
            }
        }
        if (!again.isEmpty() && again.size() == sent.records.size() && sent.by != null && areUnspecific(sent)) {
            sender.replace(sent.by); // nobody says what is wrong; the next producer may be luckier
        }
        putBack(again);
        if (outage != null && again.isEmpty()) {
            failWaiting(outage); // they would wait as long for the same answer, one batch after the other
        }
    }

    private static boolean areUnspecific(Batch sent) {
        return sent.failures.values().stream().allMatch(PartitionQueue::isUnspecific);
    }

    /** Guarded by this. */
    private void learn(Batch sent) {
        if (sent.failures.isEmpty()) {
            limit.confirmed(sent.bytes());
        }
        if (sent.mayBeTakenApart()) {
            limit.takenApart(sent.bytes());
        }
        boolean unanswered = false;
        for (Map.Entry<PendingRecord, Exception> each : sent.failures.entrySet()) {
            Throwable root = KafkaVerdicts.root(each.getValue());
            if (root instanceof RecordTooLargeException) {
                limit.tooLarge(each.getKey().size);
            }
            unanswered |= root instanceof TimeoutException;
        }
        if (unanswered && sent.isOfSeveral()) {
            limit.unanswered(sent.bytes());
        }
    }

    /**
     * All that wait here fail.
     *
     * @param cause unless the first one knows more
     */
    void failWaiting(Throwable cause) {
        List<PendingRecord> left;
        synchronized (this) {
            left = new ArrayList<>(waiting);
            waiting.clear();
        }
        Throwable trouble = left.isEmpty() ? null : left.get(0).group.lastTrouble; // only the first one was tried
        boolean isKnown = trouble != null && !isUnspecific(trouble);
        for (PendingRecord record : left) {
            if (!record.group.hasFailed()) {
                sender.fail(record, isKnown && trouble != null ? trouble : cause);
            }
        }
    }

    static boolean isUnspecific(Throwable failure) {
        return KafkaVerdicts.root(failure).getClass() == KafkaException.class;
    }
}
