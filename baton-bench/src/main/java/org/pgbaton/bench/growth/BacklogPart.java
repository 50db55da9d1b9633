package org.pgbaton.bench.growth;

import java.util.List;
import java.util.stream.LongStream;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;

/** Measures writers and a live reader while another subscription is far behind, and works on it. */
final class BacklogPart extends GrowthPart {
    private static final int CLIENTS = 8;
    private static final String RATE = "append";
    private static final String APPEND = "append, CPU of PostgreSQL";

    private final Scale scale;
    private final LongLog log;

    BacklogPart(Scale scale, LongLog log) {
        super("backlog", "A backlog of another subscription");
        this.scale = scale;
        this.log = log;
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Curve curve = LiveLatency.lines(new Curve("rows behind", "row behind"))
                .line(RATE, "rows/s")
                .line(APPEND, "µs a row");
        long most = Math.min(10_000_000, scale.mostRows());
        Place place = log.with(arena, scale.mostRows());
        long[] steps = LongStream.of(0, 10_000, 100_000, 1_000_000, 10_000_000)
                .filter(step -> step <= most)
                .toArray();
        Player live = arena.player("live");
        Player slow = arena.player("slow");
        live.ask(PATIENCE, "open", place.url());
        live.ask(PATIENCE, "subscribe", "live", "events", -1, 500, 4, "NOTHING");
        awaitLanes(live, 16);
        LiveLatency.warmUp(arena, scale, place, "events", live);
        append(arena, place);
        for (long behind : steps) {
            long end = place.number("SELECT max(position) FROM baton.events");
            slow.ask(PATIENCE, "open", place.url());
            // One worker that waits for 1 ms at each message never gets to the end.
            slow.ask(
                    PATIENCE,
                    "subscribe",
                    "behind-" + behind,
                    "events",
                    end - behind,
                    500,
                    1,
                    behind == 0 ? "NOTHING" : "SLEEP");
            awaitLanes(slow, 16);
            double[] latency = LiveLatency.measure(arena, scale, place, "events", live, LongLog.KEYS);
            Series rate = new Series();
            double append = median(arena.rounds(), () -> {
                Cost cost = append(arena, place);
                rate.add(cost.answer().perSecond());
                return cost.serverPer(cost.answer().number(0));
            });
            slow.ask(PATIENCE, "delete");
            slow.ask(PATIENCE, "close");
            curve.step((double) behind, latency[0], latency[1], latency[2], latency[3], rate.median(), append);
            arena.progress(Shown.count(behind) + " rows behind");
        }
        live.ask(PATIENCE, "delete");
        live.ask(PATIENCE, "close");
        into.say("A live reader (" + LiveLatency.RATE
                + " rows a second, from the beginning of the INSERT to the handler) and " + CLIENTS
                + " clients that append as fast as they can, in a log of " + Shown.count(scale.mostRows())
                + " rows; another subscription, in a third process, is so many rows behind and handles one after the other, 1 ms each. "
                + "With no backlog its handler does nothing.");
        curve.tell(into);
        show(curve.plot(title()).limit(1.2), into);
        into.atLeast("append with the greatest backlog, as a multiple of that with none", curve.growth(RATE), 0.9);
        into.atMost(
                "p50 of the live reader with the greatest backlog, as a multiple of that with none",
                curve.growth(LiveLatency.P50),
                1.2);
        into.atMost(
                "CPU of an append with the greatest backlog, as a multiple of that with none",
                curve.growth(APPEND),
                1.2);
    }

    private Cost append(Arena arena, Place place) throws Exception {
        Player writer = arena.player("writer");
        return cost(
                arena,
                List.of(),
                () -> writer.ask(
                        PATIENCE,
                        "write",
                        place.url(),
                        "events",
                        CLIENTS,
                        0,
                        scale.sized(5, 2),
                        LongLog.PAYLOAD_BYTES,
                        LongLog.KEYS));
    }
}
