package org.pgbaton;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.pgbaton.checkpoint.Registration;
import org.pgbaton.handling.LaneGroup;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.hub.Hub;
import org.pgbaton.hub.Sight;
import org.pgbaton.member.Member;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.SubscriptionException;

/** Finds the position after which each group of lanes of a new subscription begins. Thread-safe. */
final class FirstPositions {
    private static final Duration FIRST_LOOK = Duration.ofSeconds(30);
    private static final Duration SETTLE = Duration.ofSeconds(1);
    private static final Duration NEXT_LOOK = Duration.ofMillis(5);

    private final Registration registration;
    private final Hub hub;
    private final LongSupplier nanos;

    FirstPositions(Registration registration, Hub hub, LongSupplier nanos) {
        this.registration = registration;
        this.hub = hub;
        this.nanos = nanos;
    }

    /** @param member which the hub tells what it sees */
    Map<LaneGroup, Long> find(Member member, Set<LaneGroup> groups) {
        if (member.options().start() instanceof Start.After after) {
            Map<LaneGroup, Long> starts = new HashMap<>();
            groups.forEach(group -> starts.put(group, after.position()));
            return starts;
        }
        return now(member, groups);
    }

    /**
     * The frontier of each group. But the first look does not know how old the open transactions are that it sees: what they wrote must not be
     * missed, and the whole history before them must not be handled. Most end soon; for the others it is looked up when they began. All groups
     * wait together.
     */
    private Map<LaneGroup, Long> now(Member member, Set<LaneGroup> groups) {
        SubscriptionOptions options = member.options();
        Sight sight = firstSight(member);
        long end = sight.end();
        long start = nanos.getAsLong();
        Map<LaneGroup, Long> starts = new HashMap<>();
        Set<LaneGroup> open = new HashSet<>(groups);
        while (true) {
            for (LaneGroup group : open) {
                long frontier = options.groups().frontier(sight, group);
                if (frontier >= end) {
                    starts.put(group, frontier);
                }
            }
            open.removeAll(starts.keySet());
            Duration waited = Duration.ofNanos(nanos.getAsLong() - start);
            if (waited.compareTo(SETTLE) >= 0) {
                open.forEach(group ->
                        registration.beforeOpenWriters(options, group).ifPresent(before -> starts.put(group, before)));
                open.removeAll(starts.keySet());
            }
            if (open.isEmpty()) {
                return starts;
            }
            if (waited.compareTo(FIRST_LOOK) > 0) {
                String log = options.log().name();
                throw new SubscriptionException("The " + options
                        + " cannot begin now: a transaction that wrote to log '" + log
                        + "' is open, and it cannot be told since when ('baton logs show " + log
                        + "' names it). End it and try again, or begin after a position.");
            }
            hub.stir();
            LockSupport.parkNanos(NEXT_LOOK.toNanos());
            sight = member.lastSight(sight);
        }
    }

    private static Sight firstSight(Member member) {
        try {
            return member.firstSight().get(FIRST_LOOK.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException blind) {
            throw new SubscriptionException(
                    "The end of log '" + member.options().log().name() + "' could not be read within "
                            + FIRST_LOOK.toSeconds() + " s; see the application's log output.");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new SubscriptionException("Interrupted while starting " + member.options() + ".");
        }
    }
}
