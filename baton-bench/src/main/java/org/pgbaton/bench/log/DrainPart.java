package org.pgbaton.bench.log;

import java.time.Duration;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Cost;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Race;
import org.pgbaton.bench.arena.Rows;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;
import org.pgbaton.bench.arena.WarmUp;

/** The whole log through one subscription whose handler does nothing, beside COPY and a cursor over the same rows. */
final class DrainPart implements Part {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String COPY = "`COPY baton.events TO STDOUT`";
    private static final String CURSOR = "a cursor, 5,000 rows at a time";
    private static final String LARGE = "Baton, batch 5,000, 1 worker";
    private static final String STANDARD = "Baton, 1 worker, else its defaults";
    private static final String FRESH = "Baton, 1 worker, rows that were never analysed";
    private static final String DEFAULTS = "Baton, its defaults";

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public String title() {
        return "Drain";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        long rows = arena.sized(1_000_000, 100_000);
        long few = arena.sized(100_000, 50_000);
        Race race = new Race(arena, into);
        try (Place place = arena.place();
                Place fresh = arena.place()) {
            Rows.fill(arena, place, rows);
            // Without statistics, as in the first minute after a first import.
            fresh.execute("ALTER TABLE baton.events SET (autovacuum_enabled = off)");
            Rows.append(fresh, few);
            race.addWithCost(COPY, () -> ask(arena, "copy", place.url()));
            race.addWithCost(CURSOR, () -> ask(arena, "cursor", place.url(), 5000));
            race.addWithCost(LARGE, () -> ask(arena, "drain", place.url(), 5000, 1, 0, rows));
            race.addWithCost(STANDARD, () -> ask(arena, "drain", place.url(), 0, 1, 0, rows));
            race.addWithCost(DEFAULTS, () -> ask(arena, "drain", place.url(), 0, 0, 0, rows));
            race.addWithCost(FRESH, () -> ask(arena, "drain", fresh.url(), 0, 1, 0, few));
            warmUp(arena, place, rows);
            race.run(arena.rounds());
        }
        into.say(Shown.count(rows) + " rows of " + Rows.PAYLOAD_BYTES
                + " bytes, one member, a handler that does nothing; " + Shown.count(few)
                + " where they were never analysed. The JVM that reads, in all of these ways, is warmed up before the rounds: it repeats "
                + "COPY, the cursor and draining with the defaults, each " + WarmUp.RULE
                + ". Beside the rates, the CPU time for each row of PostgreSQL and of the process that reads.");
        into.header("", "rows/s", "of COPY", "CPU/row, PostgreSQL", "CPU/row, reader");
        Series limit = race.of(COPY);
        for (String variant : new String[] {COPY, CURSOR, LARGE, STANDARD, DEFAULTS, FRESH}) {
            Series ratio = race.of(variant).dividedBy(limit);
            into.row(
                    variant,
                    Shown.rate(race.of(variant).median()),
                    variant.equals(COPY) ? "1" : ratio.shownAsRatio(),
                    Cost.shown(race.serverOf(variant).median()),
                    Cost.shown(race.batonOf(variant).median()));
            into.number(variant + ", rows/s", race.of(variant).median());
            into.number(variant + ", of COPY", ratio.median());
        }
        into.atLeast("batch 5,000 beside COPY", race.of(LARGE).dividedBy(limit).median(), 0.5);
        into.atLeast(
                "without statistics, beside the same with them",
                race.of(FRESH).dividedBy(race.of(STANDARD)).median(),
                0.5);
        into.atLeast(
                "the defaults beside COPY", race.of(DEFAULTS).dividedBy(limit).median(), 0.65);
    }

    private static void warmUp(Arena arena, Place place, long rows) throws Exception {
        WarmUp.untilStable(arena, "COPY", () -> ask(arena, "copy", place.url()).perSecond());
        WarmUp.untilStable(
                arena,
                "the cursor",
                () -> ask(arena, "cursor", place.url(), 5000).perSecond());
        WarmUp.untilStable(
                arena,
                "draining",
                () -> ask(arena, "drain", place.url(), 0, 0, 0, rows).perSecond());
    }

    private static Cost ask(Arena arena, Object... words) throws Exception {
        return arena.player("reader").ask(PATIENCE, words).cost();
    }
}
