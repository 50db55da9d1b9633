package org.pgbaton.bench.dashboard;

import java.util.List;
import java.util.Locale;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Shown;

/** How long pages and answers of the API take while everybody looks, and how many bytes they have. */
final class PagesPart implements Part {
    private static final double LONGEST_MILLIS = 300;
    private static final double HEAVIEST_KILOBYTES = 300;

    private final Audience audience;

    PagesPart(Audience audience) {
        this.audience = audience;
    }

    @Override
    public String name() {
        return "pages";
    }

    @Override
    public String title() {
        return "Pages";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        int seconds = (int) arena.sized(60, 8);
        Player.Words seen;
        try (Place place = arena.place()) {
            String address = audience.desk(arena, place);
            audience.come(arena, address);
            arena.progress("everybody looks for " + seconds + " s");
            Thread.sleep(seconds * 1000L);
            seen = audience.go(arena);
            arena.leave();
        }
        into.say(audience.shown() + ". For " + seconds
                + " s each viewer follows one page by server-sent events, and asks for a page or an answer of the API every second: "
                + String.format(Locale.ROOT, "%,d", seen.number(0))
                + " events came. A page's weight is all that a browser loads for it the first time, uncompressed.");
        into.header("", "requests", "median / p99 / worst", "kB");
        rows(seen, into);
    }

    private static void rows(Player.Words seen, Finding into) {
        double slowest = 0;
        double heaviest = 0;
        long refused = 0;
        List<String> paths = Visits.PATHS;
        for (int i = 0; i < paths.size(); i++) {
            int at = 1 + i * Visits.WORDS;
            double p99 = seen.number(at + 2) / 1e3;
            double kilobytes = seen.number(at + 4) / 1e3;
            into.row(
                    "`" + paths.get(i) + "`",
                    Long.toString(seen.number(at)),
                    Shown.millis(seen.number(at + 1) / 1e3) + " / " + Shown.millis(p99) + " / "
                            + Shown.millis(seen.number(at + 3) / 1e3),
                    String.format(Locale.ROOT, "%.0f", kilobytes));
            into.number(paths.get(i) + ", p50 ms", seen.number(at + 1) / 1e3);
            into.number(paths.get(i) + ", p99 ms", p99);
            into.number(paths.get(i) + ", kB", kilobytes);
            slowest = Math.max(slowest, p99);
            refused += seen.number(at + 5);
            heaviest = Visits.isPage(paths.get(i)) ? Math.max(heaviest, kilobytes) : heaviest;
        }
        into.atMostMillis("p99 of the slowest", slowest, LONGEST_MILLIS);
        into.atMost("kB of the heaviest page", heaviest, HEAVIEST_KILOBYTES);
        into.holds("every request was answered (" + refused + " were not)", refused == 0);
    }
}
