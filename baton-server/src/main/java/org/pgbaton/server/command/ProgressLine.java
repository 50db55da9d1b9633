package org.pgbaton.server.command;

import java.util.function.Supplier;
import org.pgbaton.database.Printable;

/** How far something is: on a terminal, one line on standard error that is overwritten; without a terminal nothing. Not thread-safe. */
public final class ProgressLine implements AutoCloseable {
    private int width;

    /** @param line asked only if somebody looks */
    public void show(Supplier<String> line) {
        if (Terminal.isOutput()) {
            overwrite(Printable.line(line.get()));
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
