package org.pgbaton.bench.dashboard;

import java.time.Duration;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Race;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;

/** The same backlog through a subscription, with and without viewers, by turns. */
final class WorkersPart implements Part {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String ALONE = "nobody looks";

    private final Audience audience;

    WorkersPart(Audience audience) {
        this.audience = audience;
    }

    @Override
    public String name() {
        return "workers";
    }

    @Override
    public String title() {
        return "Workers";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        long rows = arena.sized(200_000, 10_000);
        String watched = audience.viewers() + " viewers look";
        Race race = new Race(arena, into);
        try (Place place = arena.place()) {
            String address = audience.desk(arena, place);
            place.execute(
                    "INSERT INTO baton.outbox (topic, key, payload) SELECT 'bench', 'key-' || g % 10000, '{\"n\": 1}'"
                            + " FROM generate_series(1, " + rows + ") g");
            race.add(ALONE, () -> drain(arena, place, rows));
            race.add(watched, () -> {
                audience.come(arena, address);
                try {
                    return drain(arena, place, rows);
                } finally {
                    audience.go(arena);
                }
            });
            drain(arena, place, rows); // warms up
            race.run(arena.rounds());
            arena.leave();
        }
        Series ratio = race.of(watched).dividedBy(race.of(ALONE));
        into.say(audience.shown() + ". " + Shown.count(rows)
                + " rows through one subscription that writes one row for each, batch 500, 4 workers; by turns.");
        into.header("", "rows/s", "of " + ALONE);
        into.row(ALONE, Shown.rate(race.of(ALONE).median()), "1");
        into.row(watched, Shown.rate(race.of(watched).median()), ratio.shownAsRatio());
        into.number(ALONE + ", rows/s", race.of(ALONE).median());
        into.number(watched + ", rows/s", race.of(watched).median());
        into.atLeast("workers while everybody looks", ratio.median(), 0.9);
    }

    private static double drain(Arena arena, Place place, long rows) throws Exception {
        return arena.player("worker").ask(PATIENCE, "drain", place.url(), rows).perSecond();
    }
}
