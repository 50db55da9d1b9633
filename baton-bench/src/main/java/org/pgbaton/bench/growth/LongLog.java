package org.pgbaton.bench.growth;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Shown;

/**
 * One log that several parts use, and that only grows. Its rows are written by the server itself, without the trigger, but with
 * positions, lanes and ids as the trigger would give them. They were recorded one after the other, {@value #PER_SECOND} a second,
 * the last of the scale's rows now: so that a retention can remove as much as arrives. Used by one thread.
 */
final class LongLog {
    static final int KEYS = 10_000;
    static final int PAYLOAD_BYTES = 180;
    static final int PER_SECOND = 500;

    private static final int LANES = 16;
    private static final int CHUNK = 50_000;
    private static final int FILLERS = 2;

    private final Scale scale;
    private @Nullable Place place;
    private long filled;

    LongLog(Scale scale) {
        this.scale = scale;
    }

    /** The log, with at least so many rows, vacuumed and analysed. The arena's end is the place's end. */
    Place with(Arena arena, long rows) throws SQLException, InterruptedException {
        Place here = place;
        if (here == null) {
            here = arena.place();
            here.execute(
                    "CREATE TABLE public.fill_key (n integer PRIMARY KEY, key text NOT NULL, lane integer NOT NULL)",
                    "INSERT INTO public.fill_key SELECT n, 'key-' || n, baton.lane_of('key-' || n, " + LANES
                            + ") FROM generate_series(0, " + (KEYS - 1) + ") n",
                    "ANALYZE public.fill_key");
            place = here;
        }
        if (rows > filled) {
            arena.progress("filling " + Shown.count(rows - filled) + " rows");
            here.execute("ALTER TABLE baton.events DISABLE TRIGGER baton_append");
            try {
                fill(here, arena.server().majorVersion(), rows);
            } finally {
                here.execute("ALTER TABLE baton.events ENABLE ALWAYS TRIGGER baton_append");
            }
            filled = rows;
            check(here);
            here.execute("VACUUM (ANALYZE) baton.events", "CHECKPOINT");
        }
        return here;
    }

    /** In several sessions; each chunk draws its positions in their order. */
    private void fill(Place here, int version, long rows) throws SQLException, InterruptedException {
        String id = version >= 18 ? "uuidv7()" : "gen_random_uuid()";
        ExecutorService fillers = Executors.newFixedThreadPool(FILLERS);
        try {
            List<Future<?>> chunks = new ArrayList<>();
            for (long done = filled; done < rows; done += CHUNK) {
                String sql = "INSERT INTO baton.events (position, recorded_at, id, lane, key, type, payload)"
                        + " SELECT nextval('baton.events_position'), now() - interval '1 s' * ((" + scale.mostRows()
                        + " - g) / " + PER_SECOND + ".0), " + id + ", k.lane, k.key, 'happened', '"
                        + Delayed.payload(0, PAYLOAD_BYTES).replaceFirst("sent", "fill") + "' FROM generate_series("
                        + done + ", " + (Math.min(rows, done + CHUNK) - 1) + ") g JOIN public.fill_key k ON k.n = g % "
                        + KEYS;
                chunks.add(fillers.submit(() -> {
                    here.execute(sql);
                    return null;
                }));
            }
            for (Future<?> chunk : chunks) {
                chunk.get();
            }
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof SQLException cause ? cause : new SQLException(failed.getCause());
        } finally {
            fillers.shutdownNow();
        }
    }

    /** The rows must be as a writer's, else everything that is measured with them is worth nothing. */
    private static void check(Place here) throws SQLException {
        long wrong = here.number("SELECT count(*) FROM (SELECT * FROM baton.events ORDER BY position DESC LIMIT 1000) e"
                + " WHERE lane <> baton.lane_of(key, " + LANES + ")");
        long beyond = here.number(
                "SELECT coalesce(max(position), 0) - pg_sequence_last_value('baton.events_position') FROM baton.events");
        if (wrong != 0 || beyond > 0) {
            throw new IllegalStateException("the filled rows have wrong lanes (" + wrong
                    + ") or positions beyond the sequence (" + beyond + ")");
        }
    }
}
