package org.pgbaton.nats;

import io.nats.client.Message;
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
 * The threads that take messages to NATS, and their deadlines. Guarantee: every message it accepts has an end, soon after the time
 * limit at the latest; one that ended before it was sent is not sent.
 *
 * <p>Threading: one thread does all that can block, and whatever NATS says is handed over to it; see {@link Dispatch}. The clock has a
 * thread of its own, because that one may be busy connecting. Futures complete on either, or on one of the client's. All methods can be called by any
 * thread.
 */
final class Courier implements Link.Listener {
    static final int MOST_UNFINISHED = 10_000;

    private static final Duration STUCK = Duration.ofSeconds(1);
    private static final Duration LAST_WAIT = Duration.ofSeconds(5);

    private final Broker broker;
    private final Duration limit;
    private final Dispatch dispatch;
    private final ExecutorService thread;
    private final ClientThreads client;
    private final ScheduledThreadPoolExecutor clock;
    private final Set<Outgoing> unfinished = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** @param client for the broker; they end with the courier */
    Courier(Broker broker, ClientThreads client, boolean sameSubject, Duration limit, ThreadFactory threads) {
        this.broker = broker;
        this.client = client;
        this.limit = limit;
        this.dispatch = new Dispatch(broker, this, client.work(), sameSubject, limit);
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
                    Verdict.OUTAGE, MOST_UNFINISHED + " messages wait for NATS at " + broker + " already."));
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
        return new HandlerException(Verdict.OUTAGE, "The publisher to NATS at " + broker + " was closed.");
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

    /** The thread does not come to it: it is busy making another connection. */
    private void stuck(Outgoing outgoing) {
        Link its = outgoing.link();
        if (its != null && !outgoing.published().isDone()) {
            its.cut();
            outgoing.fail(dispatch.tooLate(outgoing));
        }
    }

    @Override
    public void answered(Link from, Outgoing outgoing, @Nullable Message answer, @Nullable Throwable failure) {
        onThread(() -> dispatch.answered(from, outgoing, answer, failure));
    }

    @Override
    public void closed(Link from, @Nullable Throwable cause) {
        onThread(() -> dispatch.closed(from, cause));
    }

    @Override
    public void complained(Link from, String error) {
        onThread(() -> dispatch.complained(from, error));
    }

    /** Gives what is unfinished a few seconds, and ends everything. */
    void close() {
        if (closing.compareAndSet(false, true)) {
            awaitUnfinished(limit.compareTo(LAST_WAIT) < 0 ? limit : LAST_WAIT);
            onThread(dispatch::hangUp);
            ClientThreads.end(thread, STUCK.multipliedBy(2));
            client.end(STUCK);
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
}
