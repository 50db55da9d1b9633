package org.pgbaton.server.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the demo says. On a terminal one block is shown in place, again and again: the facts of this moment, and below them the latest news.
 * Elsewhere, in a pipe or a file, news are lines, and there is no block. Thread-safe.
 */
final class DemoTerminal implements AutoCloseable {
    private static final int MOST_NEWS = 4;

    /** A line that breaks would count as two when the block is erased. */
    private static final int WIDTH = 79;

    private final PrintStream out;
    private final boolean isTerminal;
    private final List<String> news = new ArrayList<>();
    private List<String> facts = List.of();
    private int shown;

    DemoTerminal(PrintStream out, boolean isTerminal) {
        this.out = out;
        this.isTerminal = isTerminal;
    }

    boolean isTerminal() {
        return isTerminal;
    }

    /** Stays. */
    synchronized void say(String line) {
        erase();
        out.println(line);
        draw();
    }

    /**
     * Something has happened.
     *
     * @param inShort for the block of a terminal; null for the line itself
     */
    synchronized void tell(String line, @Nullable String inShort) {
        if (!isTerminal) {
            out.println(line);
            return;
        }
        news.add(inShort == null ? line : inShort);
        while (news.size() > MOST_NEWS) {
            news.remove(0);
        }
        erase();
        draw();
    }

    /** The facts have changed, perhaps. Does nothing where there is no block. */
    synchronized void show(List<String> now) {
        if (isTerminal) {
            erase();
            facts = List.copyOf(now);
            draw();
        }
    }

    private void erase() {
        if (shown > 0) {
            out.print("\u001b[" + shown + "A\u001b[J"); // back, and clear what follows
            shown = 0;
        }
    }

    private void draw() {
        if (isTerminal) {
            facts.forEach(this::fit);
            news.forEach(each -> fit("  " + each));
            shown = facts.size() + news.size();
        }
        out.flush();
    }

    private void fit(String line) {
        out.println(line.length() <= WIDTH ? line : line.substring(0, WIDTH - 1) + "…");
    }

    /** The block stays as it is; what comes next is said below it. */
    @Override
    public synchronized void close() {
        facts = List.of();
        news.clear();
        shown = 0;
    }
}
