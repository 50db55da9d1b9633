package org.pgbaton.bench.log;

import java.time.Duration;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Race;
import org.pgbaton.bench.arena.Rows;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;

/** Measures whether a row costs more in a long log. */
final class ScalePart implements Part {
    private static final long SMALL = 100_000;
    private static final int DRAINS = 3;

    @Override
    public String name() {
        return "scale";
    }

    @Override
    public String title() {
        return "A long log";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        long large = arena.sized(10_000_000, 1_000_000);
        String few = Shown.count(SMALL) + " rows";
        String many = Shown.count(large) + " rows";
        Race appends = new Race(arena, into);
        Race drains = new Race(arena, into);
        try (Place small = arena.place();
                Place big = arena.place()) {
            Rows.fill(arena, small, SMALL);
            Rows.fill(arena, big, large);
            appends.add(few, () -> AppendPart.write(arena, small.url(), AppendPart.INTO_EVENTS));
            appends.add(many, () -> AppendPart.write(arena, big.url(), AppendPart.INTO_EVENTS));
            drains.add(few, () -> drain(arena, small));
            drains.add(many, () -> drain(arena, big));
            drain(arena, small); // warms up
            drains.run(arena.rounds());
            Rows.betweenCheckpoints(small, SMALL / 10);
            Rows.betweenCheckpoints(big, arena.sized(200_000, 50_000));
            AppendPart.warmUp(arena);
            appends.run(arena.rounds());
        }
        into.say("Cost of a row, as the ratio of rates: appending (" + Rows.CLIENTS
                + " clients, between two checkpoints) and draining the last " + Shown.count(SMALL)
                + " rows (batch 5,000, 1 worker), in a log of " + few + " and of " + many + ".");
        into.header("", few + ", rows/s", many + ", rows/s", "cost of a row in the long log");
        row(into, "append", appends, few, many);
        row(into, "drain", drains, few, many);
    }

    private static void row(Finding into, String what, Race race, String few, String many) {
        Series cost = race.of(few).dividedBy(race.of(many));
        into.row(
                what,
                Shown.rate(race.of(few).median()),
                Shown.rate(race.of(many).median()),
                cost.shownAsRatio());
        into.number(what + ", rows/s in the short log", race.of(few).median());
        into.number(what + ", rows/s in the long log", race.of(many).median());
        into.number(what + ", cost ratio", cost.median());
        into.atMost("cost of " + what, cost.median(), 1.2);
    }

    private static double drain(Arena arena, Place place) throws Exception {
        long end = place.number("SELECT max(position) FROM baton.events");
        Series rates = new Series();
        for (int i = 0; i < DRAINS; i++) {
            rates.add(arena.player("reader")
                    .ask(Duration.ofMinutes(3), "drain", place.url(), 5000, 1, end - SMALL, SMALL)
                    .perSecond());
        }
        return rates.median();
    }
}
