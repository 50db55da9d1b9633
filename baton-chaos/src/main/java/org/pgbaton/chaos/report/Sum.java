package org.pgbaton.chaos.report;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What some rounds have in common, added up. */
final class Sum {
    private int rounds;
    private int violated;
    private int without;
    private long done;
    private double seconds;
    private final List<Long> calm = new ArrayList<>();
    private final List<Long> takeovers = new ArrayList<>();

    void add(RoundEntry round) {
        rounds++;
        violated += round.isViolated() ? 1 : 0;
        without += round.isVoid() ? 1 : 0;
        done += round.done();
        seconds += round.seconds();
        insert(calm, round.calmMillis());
        insert(takeovers, round.takeoverMillis());
    }

    private static void insert(List<Long> sorted, @Nullable Long value) {
        if (value != null) {
            int place = Collections.binarySearch(sorted, value);
            sorted.add(place < 0 ? -place - 1 : place, value);
        }
    }

    int rounds() {
        return rounds;
    }

    int violated() {
        return violated;
    }

    /** Void. */
    int without() {
        return without;
    }

    long done() {
        return done;
    }

    double hours() {
        return seconds / Duration.ofHours(1).toSeconds();
    }

    /** Milliseconds, the shortest first. */
    List<Long> calm() {
        return Collections.unmodifiableList(calm);
    }

    /** Milliseconds, the shortest first. */
    List<Long> takeovers() {
        return Collections.unmodifiableList(takeovers);
    }

    /** The smallest value that so many percent of all do not exceed; null if there is none. */
    static @Nullable Long percentile(List<Long> sorted, int percent) {
        return sorted.isEmpty() ? null : sorted.get(Math.max(0, (sorted.size() * percent + 99) / 100 - 1));
    }
}
