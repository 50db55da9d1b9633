package org.pgbaton.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.pgbaton.Baton;
import org.pgbaton.leadership.LeadershipHealth;

/**
 * Shows the work of one {@link Baton} as meters. The meters of a leadership carry the tag {@code leadership} with its
 * name:
 *
 * <ul>
 *   <li>{@code baton.leadership.role}, gauge: 1 for the role this process has now, 0 for the others; tag {@code role} is
 *       {@code standby}, {@code leading}, {@code suspended} or {@code lost}. All are 0 while it takes no part.
 *   <li>{@code baton.leadership.epoch}, gauge: the epoch it leads under, 0 otherwise.
 *   <li>{@code baton.leadership.heartbeat.age}, gauge, seconds: since the last round trip to the database that succeeded
 *       began; NaN while there is no term. It goes on growing while suspended.
 *   <li>{@code baton.leadership.changes}, counter: terms that this process began (tag {@code to=leading}) and terms that ended,
 *       released or lost ({@code to=lost}). Trust that comes back within a term is no change.
 *   <li>{@code baton.leadership.takeover}, timer: how long nobody led before each of those terms, as far as it is known; with a
 *       histogram.
 * </ul>
 *
 * <p>The meters of a subscription that runs in this process carry the tags {@code subscription} and {@code target}:
 *
 * <ul>
 *   <li>{@code baton.subscription.handled}, {@code .failures}, counters: messages handled, failures of the handler.
 *   <li>{@code baton.subscription.batches}, counter, and {@code .batch.time}, timer: batches, and how long they took.
 *   <li>{@code baton.subscription.set.aside}, {@code .rebalances}, {@code .fenced}, counters: how often a key was set aside, lanes
 *       were taken or given back, a lane turned out to be somebody else's.
 *   <li>{@code baton.subscription.running}, gauge: 1 while it owns lanes here and sees what is new in them; 0 while it stands by, is
 *       paused, stopped or closed, and within a lease after the database went away.
 *   <li>{@code baton.subscription.trouble}, gauge: 1 while it does not do here what it was told to do.
 *   <li>{@code baton.subscription.lanes}, {@code .keys.aside}, {@code .keys.parked}, gauges: lanes owned here, keys of theirs that
 *       are set aside (the parked among them), keys that wait for an operator.
 *   <li>{@code baton.subscription.behind}, gauge: positions between the slowest lane here and the end of the log; NaN while the end
 *       is not known.
 *   <li>{@code baton.subscription.lag.seconds}, gauge: how long the oldest message that waits has waited, in all processes; 0 if
 *       none does, NaN while it is not known. The only meter that asks the database: every 5 s while somebody reads it, in the
 *       background.
 * </ul>
 *
 * <p>The meters of a capture carry the tag {@code capture}: {@code baton.capture.changes}, counter, {@code .reading},
 * {@code .retained} (bytes of WAL) and {@code .trouble}, gauges.
 *
 * <p>{@code baton.hub.looks} and {@code baton.hub.wakeups}, counters: how often this process looked for something new, and how often
 * it was woken for that.
 *
 * <p>Guarantee: every change after {@link #bindTo} has returned is counted once in each registry; earlier ones are not.
 * Reading a meter never waits for the database. Meters appear when this process first takes part in a leadership or
 * subscription, and stay. They keep no Baton alive: when it is gone, its gauges read NaN.
 *
 * <p>Two Batons on one registry need extra tags that tell them apart; otherwise the second one's gauges are
 * ignored and its changes are added to the first one's.
 *
 * <p>Thread-safe. Counting happens on the thread that tells Baton's listeners, so just after the change itself.
 */
public final class BatonMetrics implements MeterBinder {
    private final Baton baton;
    private final Tags tags;
    private final Set<MeterRegistry> bound = ConcurrentHashMap.newKeySet();

    /** The metrics of a Baton, without tags of your own. */
    public BatonMetrics(Baton baton) {
        this(baton, Tags.empty());
    }

    /**
     * The metrics of a Baton, with tags of your own.
     *
     * @param tags put on every meter
     */
    public BatonMetrics(Baton baton, Iterable<Tag> tags) {
        this.baton = baton;
        this.tags = Tags.of(tags);
    }

    /** Shows this Baton in the registry, for as long as both live. Doing it twice changes nothing. */
    @Override
    public void bindTo(MeterRegistry registry) {
        if (!bound.add(registry)) {
            return;
        }
        LeadershipMeters meters = new LeadershipMeters(registry, tags, baton::health);
        // Listen first and look second; otherwise a leadership that appears in between would be missed.
        baton.addLeadershipListener(meters);
        baton.health().leaderships().stream().map(LeadershipHealth::leadership).forEach(meters::show);
        SubscriptionMeters subscriptions = new SubscriptionMeters(
                registry, tags, new Lags(() -> baton.subscriptions().list()));
        baton.addSubscriptionListener(subscriptions::show);
        CaptureMeters captures = new CaptureMeters(registry, tags);
        baton.captures().addListener(captures::show);
        hub(registry);
    }

    private void hub(MeterRegistry registry) {
        FunctionCounter.builder(
                        "baton.hub.looks", baton, each -> each.hubStats().looks())
                .description("How often this process looked for something new in the logs")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder(
                        "baton.hub.wakeups", baton, each -> each.hubStats().wakeUps())
                .description("How often this process was woken to look for something new")
                .tags(tags)
                .register(registry);
    }
}
