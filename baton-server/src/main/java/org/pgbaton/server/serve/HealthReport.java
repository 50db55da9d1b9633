package org.pgbaton.server.serve;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says a line whenever the health of a relay, a channel or a capture changes.
 *
 * <p>A new state is told at once. A new trouble is told at most every five seconds, so that one that comes and goes does not fill the log. A
 * trouble in the first five seconds is not told unless it stays: the first look at the database may still be under way. The last state and the
 * last trouble are always told.
 *
 * <p>One thread calls {@link #look}; the rest is thread-safe.
 */
final class HealthReport {
    private static final Duration AT_MOST_EVERY = Duration.ofSeconds(5);
    private static final Duration TOO_LONG = Duration.ofSeconds(30);

    private final Supplier<List<ServedHealth>> source;
    private final Teller say;
    private final LongSupplier nanos;
    private final Map<String, Told> told = new HashMap<>();
    private final long started;
    private volatile long lastLook;

    /** Gets the lines. */
    @FunctionalInterface
    interface Teller {
        /** @param trouble whether the line is about something that is wrong */
        void tell(boolean trouble, String line);
    }

    private record Told(String state, @Nullable String trouble, long at) {}

    HealthReport(Supplier<List<ServedHealth>> source, Teller say, LongSupplier nanos) {
        this.source = source;
        this.say = say;
        this.nanos = nanos;
        this.started = nanos.getAsLong();
        this.lastLook = started;
    }

    /** Compares with what was told before. To be called about every second. */
    void look() {
        source.get().forEach(this::tellChange);
        lastLook = nanos.getAsLong();
    }

    private void tellChange(ServedHealth health) {
        String trouble = health.trouble();
        Told before = told.get(health.title());
        long now = nanos.getAsLong();
        boolean isSettling = before == null && trouble != null && now - started < AT_MOST_EVERY.toNanos();
        boolean stateChanged = !isSettling && (before == null || !before.state.equals(health.state()));
        boolean troubleChanged = before != null
                && !String.valueOf(before.trouble).equals(String.valueOf(trouble))
                && now - before.at >= AT_MOST_EVERY.toNanos();
        if (stateChanged || troubleChanged) {
            told.put(health.title(), new Told(health.state(), trouble, now));
            say.tell(trouble != null, health.title() + " " + sentence(health, !stateChanged && trouble == null));
        }
    }

    /** False if looking at the health hangs, which it never should. */
    boolean isAlive() {
        return nanos.getAsLong() - lastLook < TOO_LONG.toNanos();
    }

    private static String sentence(ServedHealth health, boolean isOver) {
        String is = "is " + health.state();
        String trouble = health.trouble();
        if (trouble == null) {
            return is + (isOver ? ", and the trouble is over." : ".");
        }
        String end = trouble.endsWith(".") ? "" : ".";
        return is + (health.isRunning() ? ", with trouble: " : ": ") + trouble + end;
    }
}
