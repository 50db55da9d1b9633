package org.pgbaton.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Checks, over all measurements of one contestant, whether its consumer saw everything, once, and in order. Not
 * thread-safe.
 */
public final class Check {
    private long arrived;
    private long lost;
    private long unfinished;
    private long again;
    private long overtaken;
    private long strange;

    /** @param seen {@link Arrivals#words}, and then 1 if nothing more came although there was time */
    public void add(Player.Words seen) {
        arrived += seen.number(0);
        // Otherwise the contestant was only slow.
        boolean ended = seen.number(7) == 1;
        lost += ended ? seen.number(1) : 0;
        unfinished += ended ? 0 : seen.number(1);
        again += seen.number(2);
        overtaken += seen.number(3);
        strange += seen.number(4);
    }

    public boolean isInOrder() {
        return arrived > 0 && overtaken == 0;
    }

    /** Adds to the finding whether Baton's promises held. */
    public void judge(String contestant, boolean exactlyOnce, Finding into) {
        boolean kept = isInOrder() && lost + strange == 0 && (again == 0 || !exactlyOnce);
        into.holds(
                contestant + (exactlyOnce ? ": nothing lost, twice or overtaken" : ": nothing lost or overtaken"),
                kept);
    }

    public String shown() {
        if (arrived == 0) {
            return "–";
        }
        List<String> words = new ArrayList<>();
        note(words, overtaken, "overtaken");
        note(words, again, "twice");
        note(words, lost, "lost");
        note(words, strange, "strange");
        if (words.isEmpty()) {
            words.add("kept");
        }
        note(words, unfinished, "not in time");
        return String.join(", ", words) + String.format(Locale.ROOT, " (%,d seen)", arrived);
    }

    private static void note(List<String> words, long number, String what) {
        if (number > 0) {
            words.add(String.format(Locale.ROOT, "**%,d %s**", number, what));
        }
    }
}
