package org.pgbaton.publishing;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * The threads that send messages to a broker, and the messages' deadlines. Guarantee: every message that it accepts
 * ends, at the latest soon after the time limit. A message that ended before it was sent is not sent.
 *
 * <p>Threading: one thread does everything that can block, and all events of the broker are handed over to it; see
 * {@link SendQueue}. The clock has a thread of its own, because the first thread may be stuck; then the clock cuts the
 * connection. Messages end on one of these two threads, or on a thread of the client. Any thread may call the methods
 * of this class; for those of {@link LinkEvents} see there.
 *
 * @param <E> the form in which the broker gets messages
 */
final class SendingLoop<E> implements LinkEvents<E> {
    /** How long after the deadline the loop's thread may take to end a message. After that it counts as stuck. */
    private static final Duration STUCK = Duration.ofSeconds(1);

    private static final Duration LAST_WAIT = Duration.ofSeconds(5);

    private final Broker<E> broker;
    private final Duration limit;
    private final SendQueue<E> queue;
    private final ExecutorService thread;
    private final ScheduledThreadPoolExecutor clock;
    private final Set<PendingMessage<E>> unfinished = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);

    SendingLoop(Broker<E> broker, Duration limit, ThreadFactory threads) {
        this.broker = broker;
        this.limit = limit;
        this.queue = new SendQueue<>(broker, this, limit);
        this.thread = Executors.newSingleThreadExecutor(threads);
        this.clock = new ScheduledThreadPoolExecutor(1, threads);
        clock.setRemoveOnCancelPolicy(true);
    }

    /** @throws HandlerException if the loop is closed */
    @SuppressWarnings("FutureReturnValueIgnored") // the dependent action only tidies up
    void accept(PendingMessage<E> message) {
        if (closing.get()) {
            throw wasClosed();
        }
        unfinished.add(message);
        message.published().whenComplete((done, failure) -> unfinished.remove(message));
        if (unfinished.size() > BrokerPublisher.MOST_UNFINISHED) {
            message.fail(new HandlerException(
                    Verdict.OUTAGE, BrokerPublisher.MOST_UNFINISHED + " messages wait for " + broker + " already."));
        }
        try {
            Future<?> alarm = clock.schedule(() -> overdue(message), limit.toNanos(), TimeUnit.NANOSECONDS);
            message.published().whenComplete((done, failure) -> alarm.cancel(false));
        } catch (RejectedExecutionException over) {
            message.fail(wasClosed());
        }
        execute(() -> queue.add(message));
        // This looks after the message was added, and close looks at the messages after it was set: one of the two
        // finds
        // the message.
        if (closed.getCount() == 0) {
            message.fail(wasClosed());
        }
    }

    private HandlerException wasClosed() {
        return new HandlerException(Verdict.OUTAGE, "The publisher to " + broker + " was closed.");
    }

    @Override
    public void execute(Runnable step) {
        try {
            thread.execute(() -> guarded(step));
        } catch (RejectedExecutionException over) {
            // It is closed, and all messages have ended.
        }
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error mistake) {
            queue.loseAll(mistake);
            throw mistake;
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    private void overdue(PendingMessage<E> message) {
        if (message.take()) {
            message.fail(queue.whyNotSent(message));
            return;
        }
        execute(() -> queue.unconfirmed(message));
        clock.schedule(() -> stuck(message), STUCK.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The loop's thread hangs in that link, or is busy making another one. */
    private void stuck(PendingMessage<E> message) {
        BrokerLink<E> its = message.link();
        if (its != null && !message.hasEnded()) {
            its.cut();
            message.fail(queue.tooLate(message, its));
        }
    }

    @Override
    public void answered(BrokerLink<E> link) {
        queue.answered(link);
    }

    @Override
    public void canSend(BrokerLink<E> link) {
        queue.canSend(link);
    }

    @Override
    public void lost(BrokerLink<E> link, String sentence, @Nullable Throwable cause) {
        queue.lost(link, sentence, cause);
    }

    /**
     * Gives unfinished messages a few seconds, then ends everything. Returns when everything has ended, also to a
     * second caller.
     */
    void close() {
        if (closing.compareAndSet(false, true)) {
            awaitUnfinished(limit.compareTo(LAST_WAIT) < 0 ? limit : LAST_WAIT);
            execute(() -> queue.hangUp(STUCK));
            thread.shutdown();
            if (!threadEnds()) {
                queue.cut();
            }
            broker.close();
            threadEnds();
            clock.shutdownNow();
            closed.countDown();
            unfinished.forEach(each -> each.fail(wasClosed()));
        }
        try {
            closed.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitUnfinished(Duration atMost) {
        CompletableFuture<?> all = CompletableFuture.allOf(
                unfinished.stream().map(PendingMessage::published).toArray(CompletableFuture<?>[]::new));
        try {
            all.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException unfinishedStill) {
            // Failed messages have ended. The rest fails below.
        }
    }

    private boolean threadEnds() {
        try {
            return thread.awaitTermination(2 * STUCK.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
