package org.pgbaton.bench.log;

import java.sql.SQLException;
import java.time.Duration;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Cost;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Race;
import org.pgbaton.bench.arena.Rows;
import org.pgbaton.bench.arena.Shown;
import org.pgbaton.bench.arena.WarmUp;

/** Projections that write each batch with one statement, beside the server copying the same rows by itself. */
final class ProjectionPart implements Part {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String LIMIT = "`INSERT INTO … SELECT` of the same rows (limit)";

    @Override
    public String name() {
        return "projection";
    }

    @Override
    public String title() {
        return "Projection";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        long rows = arena.sized(1_000_000, 50_000);
        Race race = new Race(arena, into);
        String[] kinds = {"insert", "upsert"};
        int[] workers = {1, 4};
        try (Place place = arena.place()) {
            Rows.fill(arena, place, rows);
            race.addWithCost(LIMIT, () -> limit(arena, place, rows));
            for (String kind : kinds) {
                for (int worker : workers) {
                    race.addWithCost(variant(kind, worker), () -> project(arena, place, kind, worker, rows));
                }
            }
            WarmUp.untilStable(
                    arena,
                    "the projections",
                    () -> project(arena, place, "insert", 4, rows).perSecond());
            race.run(arena.rounds());
        }
        into.say(Shown.count(rows)
                + " rows, one member, the default size of batches: each batch is written with one `INSERT … SELECT FROM unnest(…)`, and "
                + "commits with its checkpoint. *insert* copies position, key and payload; *upsert* counts for each of "
                + Shown.count(Rows.KEYS) + " keys. The projections' JVM is warmed up before the rounds, " + WarmUp.RULE
                + ". Beside the rates, the CPU time for each row.");
        into.header("", "rows/s", "of the limit", "CPU/row, PostgreSQL", "CPU/row, Baton");
        into.row(
                LIMIT,
                Shown.rate(race.of(LIMIT).median()),
                "1",
                Cost.shown(race.serverOf(LIMIT).median()),
                "–");
        into.number("limit, rows/s", race.of(LIMIT).median());
        for (String kind : kinds) {
            for (int worker : workers) {
                String variant = variant(kind, worker);
                into.row(
                        variant,
                        Shown.rate(race.of(variant).median()),
                        race.of(variant).dividedBy(race.of(LIMIT)).shownAsRatio(),
                        Cost.shown(race.serverOf(variant).median()),
                        Cost.shown(race.batonOf(variant).median()));
                into.number(variant + ", rows/s", race.of(variant).median());
            }
        }
        String standard = variant("insert", 4);
        into.atLeast(
                standard + ", which is the default, beside the limit",
                race.of(standard).dividedBy(race.of(LIMIT)).median(),
                0.5);
    }

    private static String variant(String kind, int workers) {
        return kind + ", " + workers + (workers == 1 ? " worker" : " workers");
    }

    private static Cost project(Arena arena, Place place, String kind, int workers, long rows) throws Exception {
        return arena.player("projector")
                .ask(PATIENCE, "project", place.url(), kind, 0, workers, rows)
                .cost();
    }

    private static Cost limit(Arena arena, Place place, long rows) throws SQLException {
        place.execute(
                "DROP TABLE IF EXISTS public.projection",
                "CREATE TABLE public.projection (position bigint PRIMARY KEY, key text NOT NULL, text text NOT NULL)");
        long server = arena.serverCpu();
        long begin = System.nanoTime();
        place.execute(
                "INSERT INTO public.projection SELECT position, key, payload FROM baton.events ORDER BY position");
        return Cost.of(rows, System.nanoTime() - begin, arena.serverCpu() - server, 0);
    }
}
