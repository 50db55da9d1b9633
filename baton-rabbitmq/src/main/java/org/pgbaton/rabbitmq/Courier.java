package org.pgbaton.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
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
 * The threads that take messages to RabbitMQ, and their deadlines. Guarantee: every message it accepts has an end, soon after the time
 * limit at the latest; one that ended before it was sent is not sent.
 *
 * <p>Threading: one thread does all that can block, and whatever RabbitMQ says is handed over to it; see {@link Dispatch}. The clock has
 * a thread of its own, because that one may be stuck: then the clock cuts the connection. Futures complete on either. All methods can
 * be called by any thread.
 */
final class Courier implements Link.Listener {
    private static final int MOST_UNFINISHED = 10_000;
    private static final Duration STUCK = Duration.ofSeconds(1);
    private static final Duration LAST_WAIT = Duration.ofSeconds(5);

    private final Broker broker;
    private final Duration limit;
    private final Dispatch dispatch;
    private final ExecutorService thread;
    private final ScheduledThreadPoolExecutor clock;
    private final Set<Outgoing> unfinished = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);

    Courier(Broker broker, boolean sameExchange, boolean mandatory, Duration limit, ThreadFactory threads) {
        this.broker = broker;
        this.limit = limit;
        this.dispatch = new Dispatch(broker, this, sameExchange, mandatory, limit);
        this.thread = Executors.newSingleThreadExecutor(threads);
        this.clock = new ScheduledThreadPoolExecutor(1, threads);
        clock.setRemoveOnCancelPolicy(true);
    }

    /** @throws HandlerException if it cannot take more at present */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows completion only tidies up
    void accept(Outgoing outgoing) {
        if (closing.get()) {
            throw closedMeanwhile();
        }
        unfinished.add(outgoing);
        outgoing.published().whenComplete((done, failure) -> unfinished.remove(outgoing));
        if (unfinished.size() > MOST_UNFINISHED) {
            outgoing.fail(new HandlerException(
                    Verdict.OUTAGE, MOST_UNFINISHED + " messages wait for RabbitMQ at " + broker + " already."));
        }
        try {
            Future<?> alarm = clock.schedule(() -> overdue(outgoing), limit.toNanos(), TimeUnit.NANOSECONDS);
            outgoing.published().whenComplete((done, failure) -> alarm.cancel(false));
        } catch (RejectedExecutionException over) {
            outgoing.fail(closedMeanwhile());
        }
        onThread(() -> dispatch.add(outgoing));
        // Looked at after the message was added, and set before the rest is swept up: one of the two finds it.
        if (closed.getCount() == 0) {
            outgoing.fail(closedMeanwhile());
        }
    }

    private HandlerException closedMeanwhile() {
        return new HandlerException(Verdict.OUTAGE, "The publisher to RabbitMQ at " + broker + " was closed.");
    }

    private void onThread(Runnable step) {
        try {
            thread.execute(() -> guarded(step));
        } catch (RejectedExecutionException over) {
            // Closed, and whoever waited has been told.
        }
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error mistake) {
            dispatch.loseAll(mistake);
            throw mistake;
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    private void overdue(Outgoing outgoing) {
        if (outgoing.take()) {
            outgoing.fail(dispatch.whyNotSent(outgoing));
            return;
        }
        onThread(() -> dispatch.unconfirmed(outgoing));
        clock.schedule(() -> stuck(outgoing), STUCK.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The thread does not come to it: it hangs in that connection, or is busy making another. */
    private void stuck(Outgoing outgoing) {
        Link its = outgoing.link();
        if (its != null && !outgoing.published().isDone()) {
            its.cut();
            outgoing.fail(dispatch.tooLate(outgoing, its));
        }
    }

    @Override
    public void confirmed(Link from, Channel channel, long tag, boolean multiple, boolean kept) {
        onThread(() -> dispatch.confirmed(from, channel, tag, multiple, kept));
    }

    @Override
    public void returned(Link from, Channel channel, String messageId, String why) {
        onThread(() -> dispatch.returned(from, channel, messageId, why));
    }

    @Override
    public void closed(Link from, @Nullable Channel channel, ShutdownSignalException signal) {
        onThread(() -> dispatch.closed(from, channel, signal));
    }

    @Override
    public void unblocked() {
        onThread(dispatch::sendWhatWaits);
    }

    /** Gives what is unfinished a few seconds, and ends everything. */
    void close() {
        if (closing.compareAndSet(false, true)) {
            awaitUnfinished(limit.compareTo(LAST_WAIT) < 0 ? limit : LAST_WAIT);
            onThread(() -> dispatch.hangUp(STUCK));
            thread.shutdown();
            if (!hasEnded()) {
                dispatch.cut();
                hasEnded();
            }
            clock.shutdownNow();
            closed.countDown();
            unfinished.forEach(each -> each.fail(closedMeanwhile()));
        }
        try {
            closed.await();
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitUnfinished(Duration atMost) {
        CompletableFuture<?> all = CompletableFuture.allOf(
                unfinished.stream().map(Outgoing::published).toArray(CompletableFuture<?>[]::new));
        try {
            all.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException leftOver) {
            // Whoever waits for those is told.
        }
    }

    private boolean hasEnded() {
        try {
            return thread.awaitTermination(2 * STUCK.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
