package org.pgbaton.dashboard.look;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How fast a subscription is, over the last seconds.
 *
 * @param handled positions a second
 * @param written positions a second, to its log
 * @param left until nothing waits, at this pace; null if it does not get less, or nothing waits
 */
public record Pace(double handled, double written, @Nullable Duration left) {
    static final Pace UNKNOWN = new Pace(0, 0, null);

    static Pace between(Sample first, Sample last) {
        double seconds = Duration.between(first.at(), last.at()).toNanos() / 1e9;
        if (seconds < 0.5) {
            return UNKNOWN;
        }
        double handled = Math.max(0, (last.mean() - first.mean()) / seconds);
        double written = Math.max(0, (last.end() - first.end()) / seconds);
        double gain = (first.behind() - last.behind()) / seconds;
        boolean shrinks = last.behind() > 0 && gain > 0;
        return new Pace(handled, written, shrinks ? Duration.ofSeconds((long) Math.ceil(last.behind() / gain)) : null);
    }
}
