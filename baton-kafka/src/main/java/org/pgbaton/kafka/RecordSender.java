package org.pgbaton.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.KafkaVerdicts;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.subscription.HandlerException;

/**
 * Hands records to a producer, and never waits for Kafka on the caller's thread.
 *
 * <p>Protocol: records of a partition go through its {@link PartitionQueue}. The producer is set up not to wait ({@code max.block.ms} 0).
 * If it knows nothing of the topic yet, the messages wait here; if it has no room, they wait in their queue. A thread of our own offers
 * both again every few milliseconds, until their time is over. That thread also opens and closes {@linkplain CurrentProducer producers}.
 *
 * <p>Thread-safe. Stages complete on the producer's thread or on ours.
 */
final class RecordSender {
    /** Keys go to one of so many queues where only the user's own partitioner knows their partition. */
    private static final int QUEUES = 256;

    private static final Duration TICK = Duration.ofMillis(10);
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final String target;
    private final CurrentProducer current;
    private final Options options;
    private final Duration patienceWithUnknown;
    private final ScheduledThreadPoolExecutor thread;
    private final Map<TopicPartition, PartitionQueue> queues = new ConcurrentHashMap<>();

    /** Closed, and nothing is gone on with. */
    private volatile boolean ended;

    // Guarded by this.
    private final Map<String, Deque<MessageGroup>> waiting = new LinkedHashMap<>();
    private final Set<PartitionQueue> stalled = new LinkedHashSet<>();
    private boolean ticking;
    private boolean closed;

    /**
     * How it sends.
     *
     * @param oneTopic whether all messages go to one topic, so that its trouble concerns all of them
     * @param ownPartitioner whether a class of the user decides about partitions
     * @param batchBytes bytes of records that may go to a partition together
     * @param patience how long messages wait for a producer that takes them
     * @param timeout what is not begun by then has failed
     */
    record Options(boolean oneTopic, boolean ownPartitioner, int batchBytes, Duration patience, Duration timeout) {}

    RecordSender(
            String target,
            Supplier<? extends Producer<byte[], byte[]>> opener,
            Options options,
            ScheduledThreadPoolExecutor thread) {
        this.target = target;
        this.current = new CurrentProducer(opener);
        this.options = options;
        // A topic that was created a moment ago is not known everywhere; a broker that creates it takes a moment, too.
        this.patienceWithUnknown = options.patience.multipliedBy(3).dividedBy(5);
        this.thread = thread;
    }

    CurrentProducer current() {
        return current;
    }

    Duration timeout() {
        return options.timeout;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    void accept(MessageGroup group) {
        if (isClosed()) {
            failClosed(group.first());
        } else if (!enqueue(group)) {
            hold(group, false);
        }
    }

    /** @return false if it has to wait, because nothing is known of its topic */
    private boolean enqueue(MessageGroup group) {
        Producer<byte[], byte[]> producer = current.get();
        if (producer == null) {
            return false;
        }
        List<PartitionInfo> partitions;
        try {
            partitions = producer.partitionsFor(group.topic);
        } catch (RuntimeException refused) {
            group.lastTrouble = refused;
            if (KafkaVerdicts.passes(refused) || refused instanceof InterruptException) {
                return false;
            }
            if (KafkaVerdicts.endsProducer(refused) || PartitionQueue.isUnspecific(refused)) {
                replace(producer);
                return false;
            }
            fail(group.first(), refused);
            return true;
        }
        group.lastTrouble = null;
        TopicPartition place = place(group.first().record(), partitions);
        if (place.partition() >= 0) {
            group.records().forEach(record -> record.goTo(place.partition()));
        }
        PartitionQueue queue = queues.computeIfAbsent(
                place, where -> new PartitionQueue(this, !options.ownPartitioner, Math.max(1, options.batchBytes)));
        queue.add(group);
        if (ended) {
            queue.failWaiting(closedMeanwhile()); // nobody would go on with it
        }
        return true;
    }

    /** Where Kafka's own partitioner would put it. A message without a key may go to any partition that has a leader. */
    private TopicPartition place(ProducerRecord<byte[], byte[]> record, List<PartitionInfo> partitions) {
        if (options.ownPartitioner) {
            int queue = record.key() == null
                    ? ThreadLocalRandom.current().nextInt(QUEUES)
                    : Math.floorMod(Arrays.hashCode(record.key()), QUEUES);
            return new TopicPartition(record.topic(), -1 - queue);
        }
        TopicPartition place = Records.partition(record, partitions.size());
        if (place != null) {
            return place;
        }
        int from = ThreadLocalRandom.current().nextInt(partitions.size());
        for (int at = 0; at < partitions.size(); at++) {
            PartitionInfo each = partitions.get((from + at) % partitions.size());
            if (each.leader() != null) {
                return new TopicPartition(record.topic(), each.partition());
            }
        }
        return new TopicPartition(record.topic(), partitions.get(from).partition());
    }

    private void hold(MessageGroup group, boolean first) {
        boolean late;
        synchronized (this) {
            late = closed;
            if (!late) {
                Deque<MessageGroup> ofTopic = waiting.computeIfAbsent(group.topic, topic -> new ArrayDeque<>());
                if (first) {
                    ofTopic.addFirst(group);
                } else {
                    ofTopic.addLast(group);
                }
                tickSoon();
            }
        }
        if (late) {
            failClosed(group.first());
        }
    }

    /**
     * Its records wait for a producer that takes them.
     *
     * @return false if nobody will go on with them, because the publisher is closed
     */
    synchronized boolean stall(PartitionQueue queue) {
        if (closed) {
            return false;
        }
        stalled.add(queue);
        tickSoon();
        return true;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    private synchronized void tickSoon() {
        if (!ticking && !closed) {
            ticking = true;
            thread.schedule(this::tick, TICK.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void tick() {
        openIfWanted();
        List<String> topics;
        List<PartitionQueue> again;
        synchronized (this) {
            ticking = false;
            topics = List.copyOf(waiting.keySet());
            again = List.copyOf(stalled);
            stalled.clear();
        }
        again.forEach(queue -> {
            queue.failIfStalledFor(options.patience.toNanos(), () -> whyItWaited(null));
            queue.goOn();
        });
        topics.forEach(this::offer);
        impatient(System.nanoTime()).forEach(group -> fail(group.first(), whyItWaited(group.lastTrouble)));
        synchronized (this) {
            waiting.values().removeIf(Deque::isEmpty);
            if (!waiting.isEmpty()) {
                tickSoon();
            }
        }
    }

    /** If the first messages have to wait longer, all others of their topic wait, too. */
    private void offer(String topic) {
        MessageGroup first = current.get() == null ? null : next(topic);
        while (first != null) {
            if (!enqueue(first)) {
                hold(first, true);
                return;
            }
            first = next(topic);
        }
    }

    private synchronized @Nullable MessageGroup next(String topic) {
        Deque<MessageGroup> ofTopic = waiting.get(topic);
        return ofTopic == null ? null : ofTopic.poll();
    }

    private synchronized List<MessageGroup> impatient(long now) {
        List<MessageGroup> over = new ArrayList<>();
        for (Deque<MessageGroup> ofTopic : waiting.values()) {
            MessageGroup first = ofTopic.peek();
            boolean unknown = first != null && KafkaVerdicts.isUnknownTopic(first.lastTrouble);
            long longest = (unknown ? patienceWithUnknown : options.patience).toNanos();
            for (Iterator<MessageGroup> each = ofTopic.iterator(); each.hasNext(); ) {
                MessageGroup group = each.next();
                if (now - group.since > longest) {
                    if (first != null) {
                        group.lastTrouble = first.lastTrouble; // only the first one is offered
                    }
                    each.remove();
                    over.add(group);
                }
            }
        }
        return over;
    }

    private Throwable whyItWaited(@Nullable Throwable told) {
        Throwable trouble = told != null ? told : current.trouble();
        boolean says = trouble != null && KafkaVerdicts.root(trouble).getClass() != TimeoutException.class;
        return says && trouble != null
                ? trouble
                : new TimeoutException("no broker answered within " + options.patience.toMillis() / 1000.0 + " s");
    }

    private void openIfWanted() {
        boolean wanted;
        synchronized (this) {
            wanted = !closed && !(waiting.isEmpty() && stalled.isEmpty());
        }
        if (wanted) {
            current.open();
        } else {
            current.closeReplaced();
        }
    }

    /** The producer cannot be used any more. */
    void replace(Producer<byte[], byte[]> broken) {
        current.replace(broken);
        tickSoon(); // closes it
    }

    boolean isOfTheWholeTarget(Throwable failure) {
        return KafkaVerdicts.verdict(failure, options.oneTopic).isOfTheWholeTarget();
    }

    /** The record's group has failed with it. */
    void fail(PendingRecord record, Throwable cause) {
        record.group.failed(
                record,
                cause instanceof HandlerException said
                        ? said
                        : new HandlerException(
                                KafkaVerdicts.verdict(cause, options.oneTopic),
                                record.message + " was not published to topic '" + record.group.topic + "' of " + target
                                        + ": " + KafkaVerdicts.words(cause) + ".",
                                cause));
    }

    private void failClosed(PendingRecord record) {
        fail(record, closedMeanwhile());
    }

    static IllegalStateException closedMeanwhile() {
        return new IllegalStateException("the publisher was closed");
    }

    private void awaitQueues() {
        long end = System.nanoTime() + CLOSING.toNanos();
        try {
            while (queues.values().stream().anyMatch(PartitionQueue::isBusy) && System.nanoTime() - end < 0) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a producer has, or waits for its turn, gets a few seconds; the rest fails. */
    void close() {
        List<MessageGroup> left = new ArrayList<>();
        List<PartitionQueue> noProducer;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            waiting.values().forEach(left::addAll);
            waiting.clear();
            noProducer = List.copyOf(stalled);
            stalled.clear();
        }
        left.forEach(group -> failClosed(group.first()));
        noProducer.forEach(PartitionQueue::goOn);
        awaitQueues();
        ended = true;
        queues.values().forEach(queue -> queue.failWaiting(closedMeanwhile()));
        Future<?> end = thread.submit(current::close);
        thread.shutdown();
        try {
            end.get(CLOSING.toMillis() * 2, TimeUnit.MILLISECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | java.util.concurrent.TimeoutException goesOnWithoutUs) {
            thread.shutdownNow();
        }
    }
}
