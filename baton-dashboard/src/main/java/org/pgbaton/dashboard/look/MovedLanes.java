package org.pgbaton.dashboard.look;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Lanes that have changed their owner between two looks. Not thread-safe. */
final class MovedLanes {
    private final boolean handedOver;
    private final Set<String> subscriptions = new TreeSet<>();
    private final Set<String> from = new TreeSet<>();
    private final Set<String> to = new TreeSet<>();
    private int lanes;
    private Instant at = Instant.EPOCH;
    private Instant sign = Instant.EPOCH;
    private long epoch;

    /** @param handedOver whether the owner before is still alive */
    MovedLanes(boolean handedOver) {
        this.handedOver = handedOver;
    }

    /** @param seen when the old owner was seen last; null if it was gone already */
    void add(Subscription subscription, Lane old, Lane now, @Nullable Instant seen) {
        subscriptions.add(subscription.title());
        from.add(String.valueOf(old.owner()));
        to.add(String.valueOf(now.owner()));
        lanes++;
        at = latest(at, now.ownedSince());
        sign = latest(latest(sign, old.advancedAt()), seen);
        epoch = Math.max(epoch, now.epoch());
    }

    private static Instant latest(Instant one, @Nullable Instant other) {
        return other != null && other.isAfter(one) ? other : one;
    }

    /** From the last sign of the old owner to the moment when all its lanes had a new one. */
    Takeover takeover() {
        Duration took =
                handedOver || sign.equals(Instant.EPOCH) || at.isBefore(sign) ? null : Duration.between(sign, at);
        return new Takeover(
                at,
                String.join(", ", subscriptions),
                lanes,
                List.copyOf(from),
                List.copyOf(to),
                handedOver,
                took,
                epoch);
    }
}
