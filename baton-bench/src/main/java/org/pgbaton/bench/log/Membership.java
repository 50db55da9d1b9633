package org.pgbaton.bench.log;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.bench.PlayerLoop;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;

/** One member of a subscription. */
final class Membership {
    /** The handler's work: nothing, a wait of a millisecond, or a report when it first sees a lane under an epoch. */
    enum Work {
        NOTHING,
        SLEEP,
        TELL
    }

    private final LongAdder handled = new LongAdder();
    private final AtomicLong first = new AtomicLong();
    private final AtomicLong last = new AtomicLong();
    private final ConcurrentHashMap<Integer, Long> epochs = new ConcurrentHashMap<>();
    private @Nullable Baton baton;
    private @Nullable Subscription subscription;

    String join(String url, String name, int workers, Work work) {
        leave();
        handled.reset();
        first.set(0);
        last.set(0);
        epochs.clear();
        Baton opened = Baton.open(url);
        baton = opened;
        subscription = opened.subscription(name)
                .on("events")
                .from(Start.now())
                .react((message, delivery) -> handle(message, delivery, work))
                .workers(workers)
                .start();
        return "";
    }

    private void handle(Message message, Delivery delivery, Work work) throws InterruptedException {
        if (first.get() == 0) {
            first.compareAndSet(0, System.nanoTime());
        }
        switch (work) {
            case NOTHING -> {}
            case SLEEP -> Thread.sleep(1);
            case TELL -> {
                Long before = epochs.put(message.lane(), delivery.epoch());
                if (before == null || before != delivery.epoch()) {
                    PlayerLoop.say(
                            "EVENT\tLANE\t" + message.lane() + "\t" + delivery.epoch() + "\t" + System.nanoTime());
                }
            }
        }
        handled.increment();
        last.lazySet(System.nanoTime());
    }

    /** @return messages handled, when the first and the last of them, now, and how many lanes it owns */
    String count() {
        long now = System.nanoTime();
        Subscription joined = subscription;
        return handled.sum() + "\t" + first.get() + "\t" + last.get() + "\t" + now + "\t"
                + (joined == null ? 0 : joined.stats().lanes());
    }

    String leave() {
        if (baton != null) {
            baton.close();
        }
        baton = null;
        subscription = null;
        return "";
    }

    static void awaitLanes(Subscription subscription, int lanes) throws InterruptedException {
        long patience = System.nanoTime() + 30_000_000_000L;
        while (subscription.stats().lanes() < lanes) {
            if (System.nanoTime() > patience) {
                throw new IllegalStateException("it did not get its lanes within 30 s: " + subscription.health());
            }
            Thread.sleep(5);
        }
    }
}
