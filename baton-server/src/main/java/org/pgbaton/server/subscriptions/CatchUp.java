package org.pgbaton.server.subscriptions;

import java.time.Duration;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.ProgressLine;
import org.pgbaton.subscription.SubscriptionStatus;

/** Measures how fast a target catches up with the live one, and shows it. Not thread-safe. */
final class CatchUp implements AutoCloseable {
    /** The rate is an average over about this time: long enough to be smooth, short enough to show that nothing moves any more. */
    private static final double MEMORY_SECONDS = 5;

    private final ProgressLine line = new ProgressLine();
    private double perSecond = Double.NaN;
    private long lastBehind = -1;
    private long lastAt;

    /** Whether the rest would take less than a quarter of that time. */
    boolean isNearly(long behind, Duration time) {
        return perSecond > 0 && behind / perSecond < time.toMillis() / 4000.0;
    }

    void show(String target, long behind, SubscriptionStatus status) {
        measure(behind, System.nanoTime());
        line.show(() -> "'" + target + "' is " + Output.number(behind) + " positions behind" + pace(behind, status));
    }

    private String pace(long behind, SubscriptionStatus status) {
        if (status.ownership().members().isEmpty()) {
            return "; no member of it is alive";
        }
        if (status.state() != SubscriptionStatus.State.RUNNING) {
            return "; it is " + status.state().word()
                    + (status.note() == null ? "" : ": " + Output.shortened(status.note(), 80));
        }
        if (Double.isNaN(perSecond)) {
            return "";
        }
        if (perSecond < 1) {
            return ", and comes no nearer";
        }
        return ", comes nearer by " + Output.number(Math.round(perSecond)) + " a second, about "
                + Durations.shown(Duration.ofSeconds(Math.max(1, Math.round(behind / perSecond)))) + " left";
    }

    private void measure(long behind, long now) {
        if (lastBehind >= 0) {
            double seconds = (now - lastAt) / 1e9;
            double rate = (lastBehind - behind) / seconds;
            double weight = Double.isNaN(perSecond) ? 1 : 1 - Math.exp(-seconds / MEMORY_SECONDS);
            perSecond = (Double.isNaN(perSecond) ? 0 : perSecond * (1 - weight)) + rate * weight;
        }
        lastBehind = behind;
        lastAt = now;
    }

    @Override
    public void close() {
        line.close();
    }
}
