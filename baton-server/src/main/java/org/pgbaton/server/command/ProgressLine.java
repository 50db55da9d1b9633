package org.pgbaton.server.command;

import java.util.function.Supplier;
import org.pgbaton.database.Printable;

/**
 * How far something is, on standard error: on a terminal one line that is overwritten, otherwise a new line at most every second. Not
 * thread-safe.
 */
public final class ProgressLine implements AutoCloseable {
    private static final long BETWEEN_LINES = 1_000_000_000L;

    private long shownAt = System.nanoTime() - BETWEEN_LINES;
    private int width;

    /** @param line asked only if it is time for a line */
    public void show(Supplier<String> line) {
        boolean overwrites = Terminal.isOutput();
        if (!overwrites && System.nanoTime() - shownAt < BETWEEN_LINES) {
            return;
        }
        shownAt = System.nanoTime();
        if (overwrites) {
            overwrite(Printable.line(line.get()));
        } else {
            Output.say(line.get());
        }
    }

    private void overwrite(String line) {
        System.err.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
        System.err.flush();
        width = line.length();
    }

    /** Ends the line, so that what is printed next begins a new one. */
    @Override
    public void close() {
        if (width > 0) {
            System.err.println();
        }
    }
}
