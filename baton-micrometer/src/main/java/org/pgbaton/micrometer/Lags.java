package org.pgbaton.micrometer;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.SubscriptionStatus;

/**
 * How far subscriptions are behind in time, as the database sees it. A background task asks the database: when somebody
 * reads a lag for the first time, and then every five seconds for as long as somebody reads lags. Thread-safe.
 */
final class Lags {
    static final Duration EVERY = Duration.ofSeconds(5);

    /** If nobody has read a lag for this long, nobody scrapes any more. */
    private static final Duration LOST_INTEREST = Duration.ofMinutes(10);

    private static final Executor THREAD = task -> {
        Thread thread = new Thread(task, "baton-metrics");
        thread.setDaemon(true);
        thread.start();
    };

    /** A subscription and one target of it. */
    record Name(String subscription, String target) {}

    private final Supplier<List<SubscriptionStatus>> source;
    private final Executor now;
    private final Executor later;

    /** Null: not known. */
    private volatile @Nullable Map<Name, Double> seconds;

    private volatile long readAt;
    private boolean asking;

    Lags(Supplier<List<SubscriptionStatus>> source) {
        this(source, THREAD, CompletableFuture.delayedExecutor(EVERY.toMillis(), TimeUnit.MILLISECONDS, THREAD));
    }

    Lags(Supplier<List<SubscriptionStatus>> source, Executor now, Executor later) {
        this.source = source;
        this.now = now;
        this.later = later;
    }

    /** NaN while it is not known. */
    double of(Name name) {
        readAt = System.nanoTime();
        begin();
        Map<Name, Double> known = seconds;
        return known == null ? Double.NaN : known.getOrDefault(name, Double.NaN);
    }

    private synchronized void begin() {
        if (!asking) {
            asking = true;
            now.execute(this::ask);
        }
    }

    private void ask() {
        try {
            Map<Name, Double> found = new HashMap<>();
            for (SubscriptionStatus each : source.get()) {
                found.put(
                        new Name(each.name(), each.target()),
                        each.backlog().age().toNanos() / 1e9);
            }
            seconds = found;
        } catch (RuntimeException unknown) {
            seconds = null;
        }
        WeakReference<Lags> next = new WeakReference<>(this); // does not keep a Baton alive that nobody uses any more
        later.execute(() -> again(next));
    }

    private static void again(WeakReference<Lags> next) {
        Lags lags = next.get();
        if (lags != null && !lags.lostInterest()) {
            lags.ask();
        }
    }

    private synchronized boolean lostInterest() {
        if (System.nanoTime() - readAt > LOST_INTEREST.toNanos()) {
            asking = false;
            seconds = null;
        }
        return !asking;
    }
}
