package org.pgbaton.bench.growth;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.log.LogOptions;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.Verdict;

/** The subscriptions of one process. */
final class Readers {
    /** The handler's work: nothing, a wait of a millisecond for each message, or refusing keys that begin with {@code bad-}. */
    enum Work {
        NOTHING,
        SLEEP,
        PARK
    }

    private static final String BAD = "bad-";

    private final LongAdder handled = new LongAdder();
    private final AtomicLong mostHeap = new AtomicLong();
    private final Delayed delayed = new Delayed();
    private final List<Subscription> subscriptions = new ArrayList<>();
    private @Nullable Baton baton;

    Readers() {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (collector instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener((news, nothing) -> collected(news.getUserData()), null, null);
            }
        }
    }

    /** What is left after a collection is what the process needs, and a little garbage. */
    private void collected(Object news) {
        if (news instanceof CompositeData data) {
            long left =
                    GarbageCollectionNotificationInfo.from(data).getGcInfo().getMemoryUsageAfterGc().values().stream()
                            .mapToLong(MemoryUsage::getUsed)
                            .sum();
            mostHeap.accumulateAndGet(left, Math::max);
        }
    }

    private Baton baton() {
        if (baton == null) {
            throw new IllegalStateException("say open first");
        }
        return baton;
    }

    String open(String url) {
        close();
        baton = Baton.open(url);
        return "";
    }

    String create(String log, int lanes) {
        baton().logs().create(log, LogOptions.defaults().lanes(lanes));
        return "";
    }

    /** @param after the position to begin after; negative: with what comes from now on */
    String subscribe(String name, String log, long after, int batch, int workers, Work work) {
        SubscriptionBuilder builder = baton().subscription(name)
                .on(log)
                .from(after < 0 ? Start.now() : Start.after(after))
                .batch(batch)
                .workers(workers);
        subscriptions.add((work == Work.NOTHING
                        ? builder.reactToBatches((messages, delivery) -> handle(messages))
                        : builder.react((message, delivery) -> handle(message, work)))
                .start());
        return "";
    }

    private void handle(List<Message> messages) {
        messages.forEach(delayed::add);
        handled.add(messages.size());
    }

    private void handle(Message message, Work work) throws InterruptedException {
        if (work == Work.PARK && message.key().startsWith(BAD)) {
            throw new HandlerException(Verdict.PARK, "bad on purpose");
        }
        if (work == Work.SLEEP) {
            Thread.sleep(1);
        }
        delayed.add(message);
        handled.increment();
    }

    /** @return messages handled, lanes owned, keys parked, looks, and the most bytes of heap that were left after a collection */
    String count() {
        long lanes = 0;
        long parked = 0;
        for (Subscription subscription : subscriptions) {
            lanes += subscription.stats().lanes();
            parked += subscription.stats().keysParked();
        }
        return handled.sum() + "\t" + lanes + "\t" + parked + "\t"
                + baton().hubStats().looks() + "\t" + mostHeap.get();
    }

    /** @return p50 and p99 in microseconds of the messages since the last call, and how many */
    String delays() {
        return delayed.take();
    }

    /** Asks so many times for the status of everything. */
    String status(int times) {
        long begin = System.nanoTime();
        for (int i = 0; i < times; i++) {
            baton().subscriptions().list();
            baton().logs().list();
        }
        return times + "\t" + (System.nanoTime() - begin);
    }

    /** Removes rows that are old enough; @return how many. */
    String retain(String log) {
        return Integer.toString(baton().logs().retainOnce(log));
    }

    String pause(String name) {
        baton().subscriptions().pause(name, "measured");
        return "";
    }

    /** Ends the subscriptions, and deletes them in the database. */
    String delete() {
        Set<String> names = new HashSet<>();
        subscriptions.forEach(subscription -> names.add(subscription.name()));
        subscriptions.forEach(Subscription::close);
        subscriptions.clear();
        names.forEach(name -> baton().subscriptions().delete(name, null, "measured"));
        handled.reset();
        return "";
    }

    String close() {
        if (baton != null) {
            baton.close();
        }
        baton = null;
        subscriptions.clear();
        handled.reset();
        return "";
    }
}
