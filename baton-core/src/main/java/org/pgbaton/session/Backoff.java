package org.pgbaton.session;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Doubling pauses with jitter: each is between half and all of its nominal length. Not thread-safe. */
public final class Backoff {
    private final Duration longest;
    private final Duration shortest;
    private Duration nominal;

    public Backoff(Duration shortest, Duration longest) {
        if (shortest.compareTo(Duration.ofMillis(1)) < 0 || longest.compareTo(shortest) < 0) {
            throw new IllegalArgumentException("A back-off from " + shortest + " to " + longest
                    + " makes no sense: the shortest pause is 1 ms or more, the longest not below it.");
        }
        this.shortest = shortest;
        this.longest = longest;
        this.nominal = shortest;
    }

    public Duration next() {
        Duration now = nominal;
        Duration doubled = nominal.multipliedBy(2);
        nominal = doubled.compareTo(longest) > 0 ? longest : doubled;
        long millis = Math.max(1, now.toMillis());
        return Duration.ofMillis(millis / 2 + ThreadLocalRandom.current().nextLong(millis - millis / 2 + 1));
    }

    public void reset() {
        nominal = shortest;
    }
}
