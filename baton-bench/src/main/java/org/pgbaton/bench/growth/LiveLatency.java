package org.pgbaton.bench.growth;

import java.util.List;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Series;

/** Measures a live reader while rows come at an even rate: how long they take, and what CPU they cost. */
final class LiveLatency {
    static final String P50 = "p50";
    static final String P99 = "p99";
    static final String SERVER = "CPU of PostgreSQL";
    static final String BATON = "CPU of Baton";
    static final int RATE = 200;

    private LiveLatency() {}

    static Curve lines(Curve curve) {
        return curve.line(P50, "ms").line(P99, "ms").line(SERVER, "µs a row").line(BATON, "µs a row");
    }

    /**
     * @param reader has a subscription that handles everything at once
     * @return p50 and p99 in milliseconds, and the CPU of PostgreSQL and of the reader for a row in microseconds; medians of rounds
     */
    static double[] measure(Arena arena, Scale scale, Place place, String log, Player reader, int keys)
            throws Exception {
        Player writer = arena.player("writer");
        write(writer, place, log, 2, keys); // warms up
        Series[] series = {new Series(), new Series(), new Series(), new Series()};
        for (int round = 0; round < arena.rounds(); round++) {
            long before = reader.ask(GrowthPart.PATIENCE, "count").number(0);
            reader.ask(GrowthPart.PATIENCE, "delays");
            GrowthPart.Cost cost = GrowthPart.cost(arena, List.of(reader), () -> {
                Player.Words written = write(writer, place, log, scale.sized(8, 3), keys);
                GrowthPart.awaitHandled(reader, before + written.number(0), GrowthPart.PATIENCE);
                return written;
            });
            Player.Words delays = reader.ask(GrowthPart.PATIENCE, "delays");
            long rows = cost.answer().number(0);
            series[0].add(delays.number(0) / 1e3);
            series[1].add(delays.number(1) / 1e3);
            series[2].add(cost.serverPer(rows));
            series[3].add(cost.playersPer(rows));
        }
        return new double[] {series[0].median(), series[1].median(), series[2].median(), series[3].median()};
    }

    /** So that the first step is not the slowest only because it is the first. */
    static void warmUp(Arena arena, Scale scale, Place place, String log, Player reader) throws Exception {
        arena.progress("warming up");
        Player writer = arena.player("writer");
        write(writer, place, log, scale.sized(20, 3), LongLog.KEYS);
        long seconds = scale.sized(10, 2);
        // At full speed, too: then the code that handles batches is compiled.
        long before = reader.ask(GrowthPart.PATIENCE, "count").number(0);
        Player.Words written = writer.ask(
                GrowthPart.PATIENCE, "write", place.url(), log, 4, 0, seconds, LongLog.PAYLOAD_BYTES, LongLog.KEYS);
        GrowthPart.awaitHandled(reader, before + written.number(0), GrowthPart.PATIENCE);
    }

    private static Player.Words write(Player writer, Place place, String log, int seconds, int keys) throws Exception {
        return writer.ask(
                GrowthPart.PATIENCE, "write", place.url(), log, 4, RATE, seconds, LongLog.PAYLOAD_BYTES, keys);
    }
}
