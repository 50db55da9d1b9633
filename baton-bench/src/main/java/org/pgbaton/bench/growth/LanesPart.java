package org.pgbaton.bench.growth;

import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;

/** Measures logs with many lanes. */
final class LanesPart extends GrowthPart {
    private final Scale scale;

    LanesPart(Scale scale) {
        super("lanes", "Lanes");
        this.scale = scale;
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Curve curve = LiveLatency.lines(new Curve("lanes", "lane"));
        for (int lanes : scale.steps(3, 16, 64, 256, 1024)) {
            try (Place place = arena.place()) {
                Player reader = arena.player("reader");
                reader.ask(PATIENCE, "open", place.url());
                reader.ask(PATIENCE, "create", "wide", lanes);
                reader.ask(PATIENCE, "subscribe", "lanes", "wide", -1, 500, 4, "NOTHING");
                awaitLanes(reader, lanes);
                if (curve.size() == 0) {
                    LiveLatency.warmUp(arena, scale, place, "wide", reader);
                }
                curve.step(lanes, LiveLatency.measure(arena, scale, place, "wide", reader, LongLog.KEYS));
                reader.ask(PATIENCE, "close");
                arena.progress(lanes + " lanes");
            }
        }
        into.say("A log with so many lanes, all owned by one member, " + LiveLatency.RATE
                + " rows a second with random keys: from the beginning of the INSERT to the handler, and CPU.");
        curve.tell(into);
        show(curve.plot(title()).limit(1.2), into);
        into.atMost("p50 with most lanes, as a multiple of that with fewest", curve.growth(LiveLatency.P50), 1.2);
        into.atMost(
                "CPU of PostgreSQL with most lanes, as a multiple of that with fewest",
                curve.growth(LiveLatency.SERVER),
                1.2);
    }
}
