package org.pgbaton.server.adopt;

import java.time.Duration;
import org.pgbaton.server.Durations;
import org.pgbaton.server.Output;
import org.pgbaton.server.Terminal;

/** What is left to do, on standard error: one line that changes on a terminal, else a line each second. */
final class Countdown implements AutoCloseable {
    private static final long BETWEEN_LINES = 1_000_000_000L;

    private final long begin = System.nanoTime();
    private long first = -1;
    private long shownAt = begin - BETWEEN_LINES;
    private int width;

    /** @param what for example "12 rows left to the old relay" */
    void show(String what, long left, long waiting) {
        if (first < 0) {
            first = left;
        }
        boolean live = Terminal.isOutput();
        if (!live && System.nanoTime() - shownAt < BETWEEN_LINES) {
            return;
        }
        shownAt = System.nanoTime();
        String line = what + pace(left) + "; " + Output.count(waiting, "new row") + (waiting == 1 ? " waits" : " wait");
        if (live) {
            System.err.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
            System.err.flush();
            width = line.length();
        } else {
            Output.say(line);
        }
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
        if (width > 0) {
            System.err.println();
        }
    }
}
