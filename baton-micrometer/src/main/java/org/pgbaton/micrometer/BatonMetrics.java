package org.pgbaton.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.pgbaton.Baton;
import org.pgbaton.leadership.LeadershipHealth;

/**
 * What one {@link Baton} does, as meters. Each carries the tag {@code leadership} with the leadership's name:
 *
 * <ul>
 *   <li>{@code baton.leadership.role}, gauge: 1 for the role this process has now, 0 for the others; tag {@code role} is
 *       {@code standby}, {@code leading}, {@code suspended} or {@code lost}. All are 0 while it takes no part.
 *   <li>{@code baton.leadership.epoch}, gauge: the epoch it leads under, 0 otherwise.
 *   <li>{@code baton.leadership.heartbeat.age}, gauge, seconds: since the last round trip to the database that succeeded
 *       began; NaN while there is no term. It goes on growing while suspended.
 *   <li>{@code baton.leadership.changes}, counter: terms that this process began (tag {@code to=leading}) and terms that ended,
 *       released or lost ({@code to=lost}). Trust that comes back within a term is no change.
 *   <li>{@code baton.leadership.takeover}, timer: how long nobody led before each of those terms, as far as it is known.
 * </ul>
 *
 * <p>Guarantee: every change after {@link #bindTo} has returned is counted once in each registry; earlier ones are not. Reading a
 * meter never asks the database. A leadership's meters appear when this process first takes part in it, and stay. They keep no
 * Baton alive: of one that is gone the gauges read NaN.
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

    public BatonMetrics(Baton baton) {
        this(baton, Tags.empty());
    }

    /** @param tags put on every meter */
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
        // Listen first and look second, or a leadership that appears in between would be missed.
        baton.addLeadershipListener(meters);
        baton.health().leaderships().stream().map(LeadershipHealth::leadership).forEach(meters::show);
    }
}
