package org.pgbaton.bench.growth;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Shown;

/** Measures whether appending, draining, taking over and status cost more in a long log. */
final class RowsPart extends GrowthPart {
    private static final int CLIENTS = 8;
    private static final int LANES = 16;
    private static final String APPEND = "append";
    private static final String DRAIN = "drain, PostgreSQL";
    private static final String BATON = "drain, Baton";
    private static final String TAKEOVER = "takeover of all lanes";
    private static final String STATUS = "status";
    private static final String RETAIN = "a look for old rows";

    private final Scale scale;
    private final LongLog log;
    private int subscriptions;

    RowsPart(Scale scale, LongLog log) {
        super("rows", "Rows in a log");
        this.scale = scale;
        this.log = log;
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Curve curve = new Curve("rows", "row")
                .line(APPEND, "µs of CPU a row")
                .line(DRAIN, "µs of CPU a row")
                .line(BATON, "µs of CPU a row")
                .line(TAKEOVER, "ms")
                .line(STATUS, "µs of CPU")
                .line(RETAIN, "µs of CPU");
        int drained = scale.sized(100_000, 20_000);
        for (long rows : scale.rows()) {
            Place place = log.with(arena, rows);
            if (curve.size() == 0) {
                drain(arena, place, drained); // warms up
                append(arena, place);
            }
            int rounds = arena.rounds();
            double append = median(rounds, () -> append(arena, place));
            double[] baton = new double[rounds];
            int[] round = {0};
            double server = median(rounds, () -> {
                double[] each = drain(arena, place, drained);
                baton[round[0]++] = each[1];
                return each[0];
            });
            double takeover = takeover(arena, place, scale.sized(9, 3));
            double[] status = status(arena, place);
            Arrays.sort(baton);
            curve.step((double) rows, append, server, baton[rounds / 2], takeover, status[0], status[1]);
            arena.progress(Shown.count(rows) + " rows: append " + Curve.value(append) + " µs, drain "
                    + Curve.value(server) + " µs, takeover " + Curve.value(takeover) + " ms, status "
                    + Curve.value(status[0]) + " µs");
        }
        into.say("One log that grows: an append (" + CLIENTS
                + " clients, one row to a transaction, CPU of PostgreSQL), draining the last "
                + Shown.count(drained)
                + " rows (batch 5,000, a handler that does nothing), `kill -9` of one of two members until the other "
                + "owns all " + LANES
                + " lanes, the status of all subscriptions (one is at the log's beginning) and logs, and a look for rows that "
                + "retention removes, when there are none.");
        curve.tell(into);
        show(curve.plot(title()).limit(1.2), into);
        for (String line : List.of(APPEND, DRAIN, BATON, TAKEOVER, STATUS, RETAIN)) {
            into.atMost(line + " in the longest log, as a multiple of the shortest", curve.growth(line), 1.2);
        }
    }

    private double append(Arena arena, Place place) throws Exception {
        Player writer = arena.player("writer");
        Cost cost = cost(
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
        return cost.serverPer(cost.answer().number(0));
    }

    /** @return microseconds of PostgreSQL and of Baton for each row */
    private double[] drain(Arena arena, Place place, long rows) throws Exception {
        long end = place.number("SELECT max(position) FROM baton.events");
        Player reader = arena.player("reader");
        reader.ask(PATIENCE, "open", place.url());
        Cost cost = cost(arena, List.of(reader), () -> {
            Player.Words answer = reader.ask(
                    PATIENCE, "subscribe", "drain-" + ++subscriptions, "events", end - rows, 5000, 1, "NOTHING");
            awaitHandled(reader, rows, PATIENCE);
            return answer;
        });
        reader.ask(PATIENCE, "delete");
        reader.ask(PATIENCE, "close");
        return new double[] {cost.serverPer(rows), cost.playersPer(rows)};
    }

    /** @return milliseconds, the median */
    private double takeover(Arena arena, Place place, int times) throws Exception {
        String name = "takeover-" + ++subscriptions;
        Player survivor = member(arena, place, name);
        try {
            awaitLanes(survivor, LANES);
            return median(times, () -> {
                Player victim = member(arena, place, name);
                awaitLanes(victim, LANES / 2);
                Thread.sleep(100);
                long begin = System.nanoTime();
                victim.kill();
                awaitLanes(survivor, LANES);
                double millis = (System.nanoTime() - begin) / 1e6;
                victim.close();
                return millis;
            });
        } finally {
            survivor.ask(PATIENCE, "delete");
            survivor.close();
        }
    }

    private static Player member(Arena arena, Place place, String name) throws Exception {
        Player player = arena.newPlayer("member", List.of());
        player.ask(PATIENCE, "open", place.url());
        player.ask(PATIENCE, "subscribe", name, "events", -1, 500, 4, "NOTHING");
        return player;
    }

    /** @return microseconds of PostgreSQL for a status, and for a look whether there are rows to be removed */
    private double[] status(Arena arena, Place place) throws Exception {
        int times = scale.sized(200, 50);
        Player reader = arena.player("reader");
        reader.ask(PATIENCE, "open", place.url());
        try {
            // One that never gets anywhere: what waits is at the other end of the log.
            reader.ask(PATIENCE, "subscribe", "behind-" + ++subscriptions, "events", 0, 1, 1, "SLEEP");
            reader.ask(PATIENCE, "pause", "behind-" + subscriptions);
            reader.ask(PATIENCE, "status", 10);
            Cost status = cost(arena, List.of(), () -> reader.ask(Duration.ofMinutes(10), "status", times));
            place.execute("UPDATE baton.log SET retention = interval '100 years' WHERE name = 'events'");
            Cost retain = cost(arena, List.of(), () -> {
                Player.Words answer = reader.ask(PATIENCE, "retain", "events");
                for (int i = 1; i < times; i++) {
                    answer = reader.ask(PATIENCE, "retain", "events");
                }
                return answer;
            });
            return new double[] {status.serverPer(times), retain.serverPer(times)};
        } finally {
            place.execute("UPDATE baton.log SET retention = NULL WHERE name = 'events'");
            reader.ask(PATIENCE, "delete");
            reader.ask(PATIENCE, "close");
        }
    }
}
