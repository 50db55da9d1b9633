package org.pgbaton.bench.arena;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

/** The rows of a log: the same keys and payloads for all contestants. */
public final class Rows {
    public static final int LANES = 16;
    public static final int CLIENTS = 16;
    public static final int KEYS = 10_000;
    public static final int PAYLOAD_BYTES = 180;
    /** Every contestant writes as many bytes. */
    public static final String PAYLOAD = "{\"text\":\"" + "x".repeat(PAYLOAD_BYTES - 11) + "\"}";

    private static final int CHUNK = 50_000;
    private static final int FILLERS = 2;

    private Rows() {}

    public static String someKey() {
        return "key-" + ThreadLocalRandom.current().nextInt(KEYS);
    }

    /** Writes so many rows quickly, as if writers had done it one by one, and leaves the table vacuumed and analysed. */
    public static void fill(Arena arena, Place place, long rows) throws SQLException, InterruptedException {
        arena.progress("filling " + Shown.count(rows) + " rows");
        place.execute(
                "CREATE TABLE IF NOT EXISTS public.fill_key (n integer PRIMARY KEY, key text NOT NULL, lane integer NOT NULL)",
                "INSERT INTO public.fill_key SELECT n, 'key-' || n, baton.lane_of('key-' || n, " + LANES
                        + ") FROM generate_series(0, " + (KEYS - 1) + ") n ON CONFLICT DO NOTHING",
                "ANALYZE public.fill_key",
                "ALTER TABLE baton.events DISABLE TRIGGER baton_append");
        try {
            inChunks(place, rows);
        } finally {
            place.execute("ALTER TABLE baton.events ENABLE ALWAYS TRIGGER baton_append");
        }
        place.execute("VACUUM (ANALYZE) baton.events", "CHECKPOINT");
    }

    /** Each chunk draws its positions in their order. */
    private static void inChunks(Place place, long rows) throws SQLException, InterruptedException {
        ExecutorService fillers = Executors.newFixedThreadPool(FILLERS);
        try {
            List<Future<?>> chunks = new ArrayList<>();
            for (long done = 0; done < rows; done += CHUNK) {
                long from = done;
                long to = Math.min(rows, done + CHUNK) - 1;
                chunks.add(fillers.submit(() -> {
                    place.execute("INSERT INTO baton.events (position, recorded_at, id, lane, key, type, payload)"
                            + " SELECT nextval('baton.events_position'), clock_timestamp(), gen_random_uuid(), k.lane, k.key,"
                            + " 'happened', '" + PAYLOAD + "' FROM generate_series(" + from + ", " + to
                            + ") g JOIN public.fill_key k ON k.n = g % " + KEYS);
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

    /** Rows that come all at once, through the trigger, as any writer's. */
    public static void append(Place place, long rows) throws SQLException {
        place.execute("INSERT INTO baton.events (key, type, payload) SELECT 'key-' || g % " + KEYS + ", 'happened', '"
                + PAYLOAD + "' FROM generate_series(1, " + rows + ") g");
    }

    /**
     * Brings the database into the state in which it spends most of its time, between two checkpoints: buffers are
     * clean, and the full images of the hot index pages are already in the write-ahead log.
     */
    public static void betweenCheckpoints(Place place, long rows) throws SQLException {
        place.execute("CHECKPOINT");
        append(place, rows);
    }
}
