package org.pgbaton.bench.log;

import java.sql.SQLException;
import java.time.Duration;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Race;
import org.pgbaton.bench.arena.Shown;

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
        long rows = arena.sized(200_000, 50_000);
        Race race = new Race(arena, into);
        String[] kinds = {"insert", "upsert"};
        int[] workers = {1, 4};
        try (Place place = arena.place()) {
            Rows.fill(arena, place, rows);
            race.add(LIMIT, () -> limit(place, rows));
            for (String kind : kinds) {
                for (int worker : workers) {
                    race.add(
                            variant(kind, worker),
                            () -> arena.player("projector")
                                    .ask(PATIENCE, "project", place.url(), kind, 500, worker, rows)
                                    .perSecond());
                }
            }
            arena.progress("warming up");
            arena.player("projector").ask(PATIENCE, "project", place.url(), "insert", 500, 4, Math.min(rows, 50_000));
            race.run(arena.rounds());
        }
        into.say(Shown.count(rows)
                + " rows, one member, batch 500: each batch is written with one `INSERT … SELECT FROM unnest(…)`, and commits with its "
                + "checkpoint. *insert* copies position, key and payload; *upsert* counts for each of "
                + Shown.count(Rows.KEYS) + " keys.");
        into.header("", "rows/s", "of the limit");
        into.row(LIMIT, Shown.rate(race.of(LIMIT).median()), "1");
        into.number("limit, rows/s", race.of(LIMIT).median());
        for (String kind : kinds) {
            for (int worker : workers) {
                String variant = variant(kind, worker);
                into.row(
                        variant,
                        Shown.rate(race.of(variant).median()),
                        race.of(variant).dividedBy(race.of(LIMIT)).shownAsRatio());
                into.number(variant + ", rows/s", race.of(variant).median());
            }
        }
    }

    private static String variant(String kind, int workers) {
        return kind + ", " + workers + (workers == 1 ? " worker" : " workers");
    }

    private static double limit(Place place, long rows) throws SQLException {
        place.execute(
                "DROP TABLE IF EXISTS public.projection",
                "CREATE TABLE public.projection (position bigint PRIMARY KEY, key text NOT NULL, text text NOT NULL)");
        long begin = System.nanoTime();
        place.execute(
                "INSERT INTO public.projection SELECT position, key, payload FROM baton.events ORDER BY position");
        return rows * 1e9 / (System.nanoTime() - begin);
    }
}
