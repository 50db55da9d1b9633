package org.pgbaton.server.subscriptions;

import java.time.Duration;
import org.pgbaton.server.Durations;
import org.pgbaton.server.Output;
import org.pgbaton.server.Terminal;
import org.pgbaton.subscription.SubscriptionStatus;

/** How a target catches up, on standard error: one line that changes on a terminal, else a line each second. */
final class Progress implements AutoCloseable {
    /** The rate is measured over a time long enough to be smooth and short enough to notice a stop. */
    private static final double MEMORY_SECONDS = 5;

    private static final long BETWEEN_LINES = 1_000_000_000L;

    private double perSecond = Double.NaN;
    private long lastBehind = -1;
    private long lastAt;
    private long shownAt;
    private int width;

    Progress(long now) {
        this.shownAt = now - BETWEEN_LINES;
    }

    /** Whether what is left would be done in a small part of that time. */
    boolean isNearly(long behind, Duration time) {
        return perSecond > 0 && behind / perSecond < time.toMillis() / 4000.0;
    }

    void show(String target, long behind, SubscriptionStatus status) {
        measure(behind, System.nanoTime());
        boolean live = Terminal.isOutput();
        if (!live && System.nanoTime() - shownAt < BETWEEN_LINES) {
            return;
        }
        shownAt = System.nanoTime();
        String line = "'" + target + "' is " + Output.number(behind) + " positions behind" + pace(behind, status);
        if (live) {
            System.err.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
            System.err.flush();
            width = line.length();
        } else {
            Output.say(line);
        }
    }

    private String pace(long behind, SubscriptionStatus status) {
        if (status.members().isEmpty()) {
            return "; no member of it is alive";
        }
        if (!status.state().equals("running")) {
            return "; it is " + status.state()
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
        if (width > 0) {
            System.err.println();
        }
    }
}
