package org.pgbaton.bench.growth;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Shown;

/** Watches a long log whose retention removes as much as arrives. */
final class RetentionPart extends GrowthPart {
    private static final int CLIENTS = 4;
    private static final String SIZE = "table and indexes";
    private static final String DEAD = "dead rows";
    private static final String P99 = "INSERT p99";
    private static final String CPU = "CPU of PostgreSQL";

    private final Scale scale;
    private final LongLog log;
    private final Duration length;

    RetentionPart(Scale scale, LongLog log, Duration length) {
        super("retention", "Retention for a long time");
        this.scale = scale;
        this.log = log;
        this.length = length;
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Curve curve = new Curve("minutes", "minute")
                .line(SIZE, "MiB")
                .line(DEAD, "k")
                .line(P99, "ms")
                .line(CPU, "µs a row");
        Place place = log.with(arena, scale.mostRows());
        long step = Math.max(5, length.toSeconds() / 30);
        Player reader = arena.player("reader");
        reader.ask(PATIENCE, "open", place.url());
        reader.ask(PATIENCE, "subscribe", "retention", "events", -1, 500, 4, "NOTHING");
        awaitLanes(reader, 16);
        // The oldest row is just old enough: from now on, each second, as many as were recorded in one second.
        place.execute(
                "UPDATE baton.log SET retention = (SELECT clock_timestamp() - min(recorded_at) FROM baton.events WHERE position = (SELECT "
                        + "min(position) FROM baton.events)) WHERE name = 'events'");
        long first = place.number("SELECT min(position) FROM baton.events");
        long vacuums = vacuums(place);
        Player writer = arena.player("writer");
        writer.ask(PATIENCE, "flow", place.url(), "events", CLIENTS, LongLog.PER_SECOND);
        try {
            long begin = System.nanoTime();
            double cpu = Cpu.ofServer(arena.server());
            while (System.nanoTime() - begin < length.toNanos()) {
                Thread.sleep(step * 1000);
                Player.Words written = writer.ask(PATIENCE, "flowed");
                double used = Cpu.ofServer(arena.server());
                curve.step(
                        Math.round((System.nanoTime() - begin) / 6e9) / 10.0,
                        place.number("SELECT pg_total_relation_size('baton.events')") / 1048576.0,
                        place.number("SELECT n_dead_tup FROM pg_stat_all_tables WHERE relid = 'baton.events'::regclass")
                                / 1e3,
                        written.number(1) / 1e3,
                        (used - cpu) / Math.max(1, written.number(2)));
                cpu = Cpu.ofServer(arena.server());
                arena.progress(String.format(Locale.ROOT, "%.1f min", (System.nanoTime() - begin) / 6e10));
            }
        } finally {
            writer.ask(PATIENCE, "dam");
            place.execute("UPDATE baton.log SET retention = NULL WHERE name = 'events'");
            reader.ask(PATIENCE, "delete");
            reader.ask(PATIENCE, "close");
        }
        long removed = place.number("SELECT min(position) FROM baton.events") - first;
        into.say(String.format(
                Locale.ROOT,
                "A log of %s rows; %d rows a second arrive (%d clients), and as many become old enough to be removed: %,d were, in %s. "
                        + "Autovacuum ran %d times on the log. CPU of PostgreSQL for each row that arrives, with its handling and removal and with vacuum.",
                Shown.count(scale.mostRows()),
                LongLog.PER_SECOND,
                CLIENTS,
                removed,
                length.toString().substring(2).toLowerCase(Locale.ROOT),
                vacuums(place) - vacuums));
        curve.tell(into);
        show(curve.plot(title()).limit(1.2), into);
        into.holds("rows were removed", removed > 0);
        into.atMost("size at the end, as a multiple of that at the beginning", curve.growth(SIZE), 1.05);
        into.holds("writers' p99 does not grow: " + curve.law(P99).sentence("ms", "minute"), halves(curve, P99) <= 1.2);
        into.atMost("CPU of the second half, as a multiple of the first", halves(curve, CPU), 1.2);
    }

    /** The median of the second half as a multiple of that of the first. */
    private static double halves(Curve curve, String line) {
        return curve.laterHalf(line) / curve.firstHalf(line);
    }

    private static long vacuums(Place place) throws SQLException {
        return place.number("SELECT autovacuum_count FROM pg_stat_all_tables WHERE relid = 'baton.events'::regclass");
    }
}
