package org.pgbaton.server.adopt;

import java.time.Duration;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.ProgressLine;

/** Shows how much is left to do, and about how long that takes. Not thread-safe. */
final class Countdown implements AutoCloseable {
    private final long begin = System.nanoTime();
    private final ProgressLine line = new ProgressLine();
    private long first = -1;

    /** @param what for example "12 rows left to the old relay" */
    void show(String what, long left, long waiting) {
        if (first < 0) {
            first = left;
        }
        line.show(() ->
                what + pace(left) + "; " + Output.count(waiting, "new row") + (waiting == 1 ? " waits" : " wait"));
    }

    private String pace(long left) {
        double seconds = (System.nanoTime() - begin) / 1e9;
        if (left == 0 || seconds < 0.5) {
            return "";
        }
        double perSecond = (first - left) / seconds;
        return perSecond <= 0
                ? ", and none done since"
                : ", about " + Durations.shown(Duration.ofMillis((long) (1000 * left / perSecond))) + " to go";
    }

    @Override
    public void close() {
        line.close();
    }
}
