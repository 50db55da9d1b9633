package org.pgbaton.bench.growth;

import java.time.Duration;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Shown;

/** Measures a reader that has seen many keys. */
final class KeysPart extends GrowthPart {
    private final Scale scale;

    KeysPart(Scale scale) {
        super("keys", "Keys");
        this.scale = scale;
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Curve curve = LiveLatency.lines(new Curve("keys", "key"));
        try (Place place = arena.place()) {
            Player reader = arena.player("reader");
            reader.ask(PATIENCE, "open", place.url());
            reader.ask(PATIENCE, "subscribe", "keys", "events", -1, 500, 4, "NOTHING");
            awaitLanes(reader, 16);
            int seen = 0;
            for (int keys : scale.steps(3, 10, 1000, 30_000, 1_000_000)) {
                long before = reader.ask(PATIENCE, "count").number(0);
                place.execute(
                        "INSERT INTO baton.events (key, type, payload) SELECT 'key-' || g, 'happened', '{}' FROM generate_series("
                                + seen + ", " + (keys - 1) + ") g");
                awaitHandled(reader, before + keys - seen, Duration.ofMinutes(5));
                seen = keys;
                place.execute("VACUUM (ANALYZE) baton.events");
                if (curve.size() == 0) {
                    LiveLatency.warmUp(arena, scale, place, "events", reader);
                }
                curve.step(keys, LiveLatency.measure(arena, scale, place, "events", reader, keys));
                arena.progress(Shown.count(keys) + " keys");
            }
        }
        into.say("One member that has handled a message of each of so many keys, " + LiveLatency.RATE
                + " rows a second with random keys of them: from the beginning of the INSERT to the handler, and CPU.");
        curve.tell(into);
        show(curve.plot(title()).limit(1.2), into);
        into.atMost("p50 with most keys, as a multiple of that with fewest", curve.growth(LiveLatency.P50), 1.2);
        into.atMost(
                "CPU of Baton with most keys, as a multiple of that with fewest", curve.growth(LiveLatency.BATON), 1.2);
    }
}
