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
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Hands records to a producer, and never waits for Kafka on the caller's thread.
 *
 * <p>Protocol: the producer is set up not to wait ({@code max.block.ms} 0). What it does not take at once, because it knows nothing of the
 * topic yet or has no room, waits here and is offered again by a thread of our own, every few milliseconds and topic by topic, until its
 * patience is over. That thread also opens the producer, which looks up names, and replaces one that is beyond repair: first the
 * old one is closed, then another is opened, so that what is left of the old one does not arrive after what the new one sends.
 *
 * <p>Thread-safe. Stages complete on the producer's thread or on ours.
 */
final class Courier {
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
    private final Map<String, Deque<Outgoing>> waiting = new LinkedHashMap<>();
    private @Nullable Producer<byte[], byte[]> replaced;
    private boolean ticking;
    private boolean closed;

    Courier(
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

    void accept(Outgoing outgoing) {
        Producer<byte[], byte[]> current = producer;
        if (current == null || !hand(current, outgoing)) {
            hold(outgoing, false);
        }
    }

    /** @return false if it has to wait */
    @SuppressWarnings("FutureReturnValueIgnored") // the call-back is told the same
    private boolean hand(Producer<byte[], byte[]> to, Outgoing outgoing) {
        outgoing.beginHanding();
        try {
            to.send(outgoing.record, (metadata, failure) -> answered(to, outgoing, failure));
        } catch (RuntimeException thrown) {
            outgoing.refused(thrown);
        }
        Throwable refused = outgoing.endHanding();
        if (refused == null) {
            return true; // and its call-back may have been called already
        }
        outgoing.lastTrouble = refused;
        if (Troubles.passes(refused) || refused instanceof InterruptException) {
            return false;
        }
        boolean broken = Troubles.endsProducer(refused) || isUnspecific(refused);
        if (broken) {
            replace(to);
        }
        if (broken && !(Troubles.root(refused) instanceof ApiException)) {
            return false; // something that happened before; the next producer may take it
        }
        fail(outgoing, refused);
        return true;
    }

    private void answered(Producer<byte[], byte[]> by, Outgoing outgoing, @Nullable Exception failure) {
        if (outgoing.isBeingHanded()) {
            outgoing.refused(failure);
        } else if (failure == null) {
            outgoing.published.complete(null);
        } else if (isUnspecific(failure)) {
            // Another record of its batch was refused, and so this one is not there either; or the producer was closed.
            outgoing.lastTrouble = failure;
            hold(outgoing, false);
        } else {
            if (Troubles.endsProducer(failure)) {
                replace(by);
            }
            fail(outgoing, failure);
        }
    }

    private static boolean isUnspecific(Throwable failure) {
        return Troubles.root(failure).getClass() == KafkaException.class;
    }

    private void hold(Outgoing outgoing, boolean first) {
        boolean late;
        synchronized (this) {
            late = closed;
            if (!late) {
                Deque<Outgoing> ofTopic = waiting.computeIfAbsent(outgoing.record.topic(), topic -> new ArrayDeque<>());
                if (first) {
                    ofTopic.addFirst(outgoing);
                } else {
                    ofTopic.addLast(outgoing);
                }
                tickSoon();
            }
        }
        if (late) {
            failClosed(outgoing);
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
        impatient(System.nanoTime()).forEach(outgoing -> fail(outgoing, whyItWaited(outgoing)));
        synchronized (this) {
            waiting.values().removeIf(Deque::isEmpty);
            if (!waiting.isEmpty()) {
                tickSoon();
            }
        }
    }

    /** If the first one has to go on waiting, so have all of its topic. */
    private void offer(String topic) {
        Producer<byte[], byte[]> current = producer;
        Outgoing first = current == null ? null : next(topic);
        while (current != null && first != null) {
            if (!hand(current, first)) {
                hold(first, true);
                return;
            }
            first = next(topic);
        }
    }

    private synchronized @Nullable Outgoing next(String topic) {
        Deque<Outgoing> ofTopic = waiting.get(topic);
        return ofTopic == null ? null : ofTopic.poll();
    }

    private synchronized List<Outgoing> impatient(long now) {
        List<Outgoing> over = new ArrayList<>();
        for (Deque<Outgoing> ofTopic : waiting.values()) {
            Outgoing first = ofTopic.peek();
            boolean unknown = first != null && Troubles.isUnknownTopic(first.lastTrouble);
            long longest = (unknown ? patienceWithUnknown : patience).toNanos();
            for (Iterator<Outgoing> each = ofTopic.iterator(); each.hasNext(); ) {
                Outgoing outgoing = each.next();
                if (now - outgoing.since > longest) {
                    if (first != null) {
                        outgoing.lastTrouble = first.lastTrouble; // the only one that is asked
                    }
                    each.remove();
                    over.add(outgoing);
                }
            }
        }
        return over;
    }

    private Throwable whyItWaited(Outgoing outgoing) {
        Throwable trouble = outgoing.lastTrouble != null ? outgoing.lastTrouble : openTrouble;
        boolean says = trouble != null && Troubles.root(trouble).getClass() != TimeoutException.class;
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

    private void fail(Outgoing outgoing, Throwable cause) {
        if (cause instanceof HandlerException said) {
            outgoing.published.completeExceptionally(said);
            return;
        }
        outgoing.published.completeExceptionally(new HandlerException(
                Troubles.verdict(cause, oneTopic),
                outgoing.message + " was not published to topic '" + outgoing.record.topic() + "' of " + target + ": "
                        + Troubles.words(cause) + ".",
                cause));
    }

    private void failClosed(Outgoing outgoing) {
        outgoing.published.completeExceptionally(closedMeanwhile(outgoing.message));
    }

    private HandlerException closedMeanwhile(String message) {
        return new HandlerException(
                Verdict.OUTAGE, message + " was not published to " + target + ": the publisher was closed.");
    }

    /** What is in flight gets a few seconds, what waits fails. */
    void close() {
        List<Outgoing> left = new ArrayList<>();
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
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | java.util.concurrent.TimeoutException goesOnWithoutUs) {
            thread.shutdownNow();
        }
    }
}
