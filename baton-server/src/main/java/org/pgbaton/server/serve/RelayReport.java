package org.pgbaton.server.serve;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureHealth;
import org.pgbaton.server.Output;
import org.pgbaton.subscription.SubscriptionHealth;
import org.pgbaton.subscription.SubscriptionState;

/**
 * A line for each change of a relay: of its state at once, of its troubles at most every five seconds, so that one that comes and goes
 * does not fill the log, and that of the start, before the database has first been looked at, is not told. What is there in the end is
 * always told. One thread calls {@link #look}; the rest is thread-safe.
 */
final class RelayReport {
    private static final Duration AT_MOST_EVERY = Duration.ofSeconds(5);
    private static final Duration TOO_LONG = Duration.ofSeconds(30);

    private final Supplier<List<Seen>> relays;
    private final Consumer<String> say;
    private final LongSupplier nanos;
    private final Map<String, Told> told = new HashMap<>();
    private final long started;
    private volatile long lastLook;

    enum What {
        RELAY("Relay"),
        CHANNEL("Channel"),
        CAPTURE("Capture");

        final String word;

        What(String word) {
            this.word = word;
        }
    }

    /** A relay, a channel or a capture, and how it is. */
    record Seen(What what, String name, SubscriptionHealth health) {
        /** In the words of subscriptions. */
        static Seen of(CaptureHealth capture) {
            String trouble = capture.problem() == null ? capture.warning() : capture.problem();
            return new Seen(
                    What.CAPTURE,
                    capture.name(),
                    new SubscriptionHealth(
                            capture.name(), "", state(capture), capture.reading() ? 1 : 0, trouble, List.of()));
        }

        private static SubscriptionState state(CaptureHealth capture) {
            if (capture.reading()) {
                return SubscriptionState.RUNNING;
            }
            return capture.problem() == null ? SubscriptionState.STANDBY : SubscriptionState.SUSPENDED;
        }

        String title() {
            return what.word + " '" + name + "'";
        }
    }

    private record Told(SubscriptionState state, @Nullable String trouble, long at) {}

    RelayReport(Supplier<List<Seen>> relays, Consumer<String> say, LongSupplier nanos) {
        this.relays = relays;
        this.say = say;
        this.nanos = nanos;
        this.started = nanos.getAsLong();
        this.lastLook = started;
    }

    /** To be called every second or so. */
    void look() {
        for (Seen relay : relays.get()) {
            SubscriptionHealth health = relay.health();
            String trouble = trouble(health);
            Told before = told.get(relay.title());
            long now = nanos.getAsLong();
            boolean settles = before == null && trouble != null && now - started < AT_MOST_EVERY.toNanos();
            boolean changed = !settles && (before == null || before.state != health.state());
            boolean troubleChanged = before != null
                    && !String.valueOf(before.trouble).equals(String.valueOf(trouble))
                    && now - before.at >= AT_MOST_EVERY.toNanos();
            if (changed || troubleChanged) {
                told.put(relay.title(), new Told(health.state(), trouble, now));
                boolean over = !changed && trouble == null;
                say.accept(relay.title() + " " + sentence(health.state(), trouble, over));
            }
        }
        lastLook = nanos.getAsLong();
    }

    /** False if looking at the relays hangs, which it never should. */
    boolean isAlive() {
        return nanos.getAsLong() - lastLook < TOO_LONG.toNanos();
    }

    static @Nullable String trouble(SubscriptionHealth health) {
        if (health.trouble() == null && !health.stuck().isEmpty()) {
            return Output.count(health.stuck().size(), "message") + " could not be sent within the limit";
        }
        return health.trouble() == null ? null : Output.shortened(health.trouble(), 300);
    }

    private static String sentence(SubscriptionState state, @Nullable String trouble, boolean over) {
        String is = "is " + state.name().toLowerCase(Locale.ROOT);
        if (trouble == null) {
            return is + (over ? ", and the trouble is over." : ".");
        }
        String end = trouble.endsWith(".") ? "" : ".";
        return is + (state == SubscriptionState.RUNNING ? ", with trouble: " : ": ") + trouble + end;
    }
}
