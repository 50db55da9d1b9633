package org.pgbaton.bench.growth;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Shown;

/** Measures healthy keys beside many parked ones. */
final class ParkedPart extends GrowthPart {
    private static final String STATUS = "status";
    private static final String REOPEN = "until all lanes are owned";

    private final Scale scale;

    ParkedPart(Scale scale) {
        super("parked", "Parked keys");
        this.scale = scale;
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Curve curve = LiveLatency.lines(new Curve("parked keys", "parked key"))
                .line(STATUS, "µs of CPU")
                .line(REOPEN, "ms");
        try (Place place = arena.place()) {
            Player reader = arena.player("reader");
            int parked = 0;
            for (int keys : scale.steps(3, 0, 1000, 10_000, 100_000)) {
                join(reader, place);
                place.execute(
                        "INSERT INTO baton.events (key, type, payload) SELECT 'bad-' || g, 'happened', '{}' FROM generate_series("
                                + parked + ", " + (keys - 1) + ") g");
                await(reader, 2, keys, Duration.ofMinutes(10));
                parked = keys;
                if (curve.size() == 0) {
                    LiveLatency.warmUp(arena, scale, place, "events", reader);
                }
                double[] live = LiveLatency.measure(arena, scale, place, "events", reader, LongLog.KEYS);
                int times = scale.sized(100, 30);
                Cost status = cost(arena, List.of(), () -> reader.ask(PATIENCE, "status", times));
                double reopen = median(arena.rounds(), () -> join(reader, place));
                double[] values = Arrays.copyOf(live, live.length + 2);
                values[live.length] = status.serverPer(times);
                values[live.length + 1] = reopen;
                curve.step(keys, values);
                arena.progress(Shown.count(keys) + " parked keys");
            }
        }
        into.say("One member with so many parked keys; " + LiveLatency.RATE
                + " rows a second of healthy keys: from the beginning of the INSERT to the handler, CPU, the status of all subscriptions, "
                + "and how long a process that joins needs for all lanes.");
        curve.tell(into);
        show(curve.plot(title()).limit(1.2), into);
        into.atMost(
                "p50 of healthy keys with most parked, as a multiple of that with none",
                curve.growth(LiveLatency.P50),
                1.2);
        into.atMost(
                "CPU of Baton with most parked, as a multiple of that with none", curve.growth(LiveLatency.BATON), 1.2);
    }

    /** @return the milliseconds until all lanes are owned */
    private static double join(Player reader, Place place) throws Exception {
        reader.ask(PATIENCE, "open", place.url());
        long begin = System.nanoTime();
        reader.ask(PATIENCE, "subscribe", "parked", "events", -1, 500, 4, "PARK");
        awaitLanes(reader, 16);
        return (System.nanoTime() - begin) / 1e6;
    }
}
