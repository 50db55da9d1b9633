package org.pgbaton.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.Clients;
import org.pgbaton.kafka.client.KafkaVerdicts;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Hands records to a producer, and never waits for Kafka on the caller's thread.
 *
 * <p>Protocol: the producer is set up not to wait ({@code max.block.ms} 0). A record that it does not take at once, because it knows
 * nothing of the topic yet or has no room, waits here. A thread of our own offers it again every few milliseconds, topic by topic, until
 * the record's time is over. That thread also opens the producer, which looks up names, and replaces one that cannot be used any more:
 * first the old one is closed, then another is opened, so that nothing of the old one arrives after what the new one sends.
 *
 * <p>Thread-safe. Stages complete on the producer's thread or on ours.
 */
final class RecordSender {
    private static final Duration TICK = Duration.ofMillis(10);
    private static final Duration REOPEN = Duration.ofMillis(500);
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final String target;
    private final Supplier<? extends Producer<byte[], byte[]>> opener;
    private final boolean oneTopic;
    private final Duration patience;
    private final Duration patienceWithUnknown;
    private final ScheduledThreadPoolExecutor thread;

    private volatile @Nullable Producer<byte[], byte[]> producer;

    // Only our thread.
    private long openAgainAt = System.nanoTime();
    private @Nullable Throwable openTrouble;

    // Guarded by this.
    private final Map<String, Deque<PendingRecord>> waiting = new LinkedHashMap<>();
    private @Nullable Producer<byte[], byte[]> replaced;
    private boolean ticking;
    private boolean closed;

    RecordSender(
            String target,
            Supplier<? extends Producer<byte[], byte[]>> opener,
            boolean oneTopic,
            Duration patience,
            ScheduledThreadPoolExecutor thread) {
        this.target = target;
        this.opener = opener;
        this.oneTopic = oneTopic;
        this.patience = patience;
        // A topic that was created a moment ago is not known everywhere; a broker that creates it takes a moment, too.
        this.patienceWithUnknown = patience.multipliedBy(3).dividedBy(5);
        this.thread = thread;
    }

    void accept(PendingRecord pending) {
        Producer<byte[], byte[]> current = producer;
        if (current == null || !hand(current, pending)) {
            hold(pending, false);
        }
    }

    /** @return false if it has to wait */
    @SuppressWarnings("FutureReturnValueIgnored") // the call-back is told the same
    private boolean hand(Producer<byte[], byte[]> to, PendingRecord pending) {
        pending.beginHanding();
        try {
            to.send(pending.record, (metadata, failure) -> answered(to, pending, failure));
        } catch (RuntimeException thrown) {
            pending.refused(thrown);
        }
        Throwable refused = pending.endHanding();
        if (refused == null) {
            return true; // its call-back tells the rest, or has done so already
        }
        pending.lastTrouble = refused;
        if (KafkaVerdicts.passes(refused) || refused instanceof InterruptException) {
            return false;
        }
        boolean broken = KafkaVerdicts.endsProducer(refused) || isUnspecific(refused);
        if (broken) {
            replace(to);
        }
        if (broken && !(KafkaVerdicts.root(refused) instanceof ApiException)) {
            return false; // an earlier failure; the next producer may take the record
        }
        fail(pending, refused);
        return true;
    }

    private void answered(Producer<byte[], byte[]> by, PendingRecord pending, @Nullable Exception failure) {
        if (pending.isBeingHanded()) {
            pending.refused(failure);
        } else if (failure == null) {
            pending.published.complete(null);
        } else if (isUnspecific(failure)) {
            // Another record of its batch was refused, and this one with it; or the producer was closed.
            pending.lastTrouble = failure;
            hold(pending, false);
        } else {
            if (KafkaVerdicts.endsProducer(failure)) {
                replace(by);
            }
            fail(pending, failure);
        }
    }

    private static boolean isUnspecific(Throwable failure) {
        return KafkaVerdicts.root(failure).getClass() == KafkaException.class;
    }

    private void hold(PendingRecord pending, boolean first) {
        boolean late;
        synchronized (this) {
            late = closed;
            if (!late) {
                Deque<PendingRecord> ofTopic =
                        waiting.computeIfAbsent(pending.record.topic(), topic -> new ArrayDeque<>());
                if (first) {
                    ofTopic.addFirst(pending);
                } else {
                    ofTopic.addLast(pending);
                }
                tickSoon();
            }
        }
        if (late) {
            failClosed(pending);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    private synchronized void tickSoon() {
        if (!ticking && !closed) {
            ticking = true;
            thread.schedule(this::tick, TICK.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void tick() {
        openIfNeeded();
        List<String> topics;
        synchronized (this) {
            ticking = false;
            topics = List.copyOf(waiting.keySet());
        }
        topics.forEach(this::offer);
        impatient(System.nanoTime()).forEach(pending -> fail(pending, whyItWaited(pending)));
        synchronized (this) {
            waiting.values().removeIf(Deque::isEmpty);
            if (!waiting.isEmpty()) {
                tickSoon();
            }
        }
    }

    /** If the first record has to wait longer, so have all others of its topic. */
    private void offer(String topic) {
        Producer<byte[], byte[]> current = producer;
        PendingRecord first = current == null ? null : next(topic);
        while (current != null && first != null) {
            if (!hand(current, first)) {
                hold(first, true);
                return;
            }
            first = next(topic);
        }
    }

    private synchronized @Nullable PendingRecord next(String topic) {
        Deque<PendingRecord> ofTopic = waiting.get(topic);
        return ofTopic == null ? null : ofTopic.poll();
    }

    private synchronized List<PendingRecord> impatient(long now) {
        List<PendingRecord> over = new ArrayList<>();
        for (Deque<PendingRecord> ofTopic : waiting.values()) {
            PendingRecord first = ofTopic.peek();
            boolean unknown = first != null && KafkaVerdicts.isUnknownTopic(first.lastTrouble);
            long longest = (unknown ? patienceWithUnknown : patience).toNanos();
            for (Iterator<PendingRecord> each = ofTopic.iterator(); each.hasNext(); ) {
                PendingRecord pending = each.next();
                if (now - pending.since > longest) {
                    if (first != null) {
                        pending.lastTrouble = first.lastTrouble; // only the first one is offered
                    }
                    each.remove();
                    over.add(pending);
                }
            }
        }
        return over;
    }

    private Throwable whyItWaited(PendingRecord pending) {
        Throwable trouble = pending.lastTrouble != null ? pending.lastTrouble : openTrouble;
        boolean says = trouble != null && KafkaVerdicts.root(trouble).getClass() != TimeoutException.class;
        return says && trouble != null
                ? trouble
                : new TimeoutException("no broker answered within " + patience.toMillis() / 1000.0 + " s");
    }

    private void openIfNeeded() {
        closeBroken();
        boolean wanted;
        synchronized (this) {
            wanted = !closed && producer == null && !waiting.isEmpty();
        }
        if (wanted && System.nanoTime() - openAgainAt >= 0) {
            try {
                producer = opener.get();
                openTrouble = null;
            } catch (RuntimeException refused) {
                openTrouble = refused;
                openAgainAt = System.nanoTime() + REOPEN.toNanos();
            }
        }
    }

    private void replace(Producer<byte[], byte[]> broken) {
        synchronized (this) {
            if (producer != broken || closed) {
                return;
            }
            producer = null;
            replaced = broken;
            tickSoon();
        }
    }

    private void closeBroken() {
        Producer<byte[], byte[]> broken;
        synchronized (this) {
            broken = replaced;
            replaced = null;
        }
        if (broken != null) {
            Clients.close(broken, CLOSING);
        }
    }

    private void fail(PendingRecord pending, Throwable cause) {
        if (cause instanceof HandlerException said) {
            pending.published.completeExceptionally(said);
            return;
        }
        pending.published.completeExceptionally(new HandlerException(
                KafkaVerdicts.verdict(cause, oneTopic),
                pending.message + " was not published to topic '" + pending.record.topic() + "' of " + target + ": "
                        + KafkaVerdicts.words(cause) + ".",
                cause));
    }

    private void failClosed(PendingRecord pending) {
        pending.published.completeExceptionally(closedMeanwhile(pending.message));
    }

    private HandlerException closedMeanwhile(String message) {
        return new HandlerException(
                Verdict.OUTAGE, message + " was not published to " + target + ": the publisher was closed.");
    }

    /** Records in flight get a few seconds; those that wait fail. */
    void close() {
        List<PendingRecord> left = new ArrayList<>();
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            waiting.values().forEach(left::addAll);
            waiting.clear();
        }
        left.forEach(this::failClosed);
        Future<?> end = thread.submit(() -> {
            closeBroken();
            Producer<byte[], byte[]> last = producer;
            producer = null;
            if (last != null) {
                Clients.close(last, CLOSING);
            }
        });
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
