package org.pgbaton.bench.growth;

import java.time.Duration;
import java.util.List;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Shown;

/** Measures the memory of a reader while it drains rows with ever greater payloads. */
final class PayloadPart extends GrowthPart {
    private static final int HEAP_MIB = 256;
    private static final String HEAP = "most heap in use";
    private static final String SERVER = "CPU of PostgreSQL";
    private static final String BATON = "CPU of Baton";

    private final Scale scale;

    PayloadPart(Scale scale) {
        super("payload", "Payloads");
        this.scale = scale;
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Curve curve = new Curve("bytes of payload", "byte")
                .line(HEAP, "MiB")
                .line(SERVER, "µs a KiB")
                .line(BATON, "µs a KiB");
        long bytes = scale.sized(1_000_000_000, 200_000_000);
        for (int payload : new int[] {100, 1000, 10_000, 100_000, 1_000_000}) {
            long rows = Math.min(bytes / payload, scale.sized(1_000_000, 100_000));
            try (Place place = arena.place();
                    Player reader = Player.of(
                            "reader",
                            List.of("-Xms16m", "-Xmx" + HEAP_MIB + "m"),
                            System.getProperty("java.class.path"),
                            GrowthProgram.class.getName(),
                            List.of())) {
                // Text that cannot be compressed, or PostgreSQL would send and store little.
                place.execute("INSERT INTO baton.events (key, type, payload) SELECT 'key-' || g % 1000, 'happened',"
                        + " to_json((SELECT left(string_agg(md5(random()::text || g || n), ''), " + payload
                        + " - 2) FROM generate_series(1, " + (payload / 32 + 1) + ") n)) FROM generate_series(1, "
                        + rows + ") g");
                place.execute("VACUUM (ANALYZE) baton.events", "CHECKPOINT");
                reader.ask(PATIENCE, "open", place.url());
                Cost cost = cost(arena, List.of(reader), () -> {
                    Player.Words answer = reader.ask(PATIENCE, "subscribe", "payload", "events", 0, 500, 4, "NOTHING");
                    awaitHandled(reader, rows, Duration.ofMinutes(10));
                    return answer;
                });
                double kilobytes = rows * (double) payload / 1024;
                curve.step(
                        payload,
                        reader.ask(PATIENCE, "count").number(4) / 1048576.0,
                        cost.server() / kilobytes,
                        cost.players() / kilobytes);
                arena.progress(Shown.count(rows) + " rows of " + payload + " bytes");
            } catch (InterruptedException end) {
                throw end;
            } catch (Exception failed) {
                into.failed(Shown.count(payload) + " bytes", failed);
                arena.progress(payload + " bytes FAILED: " + Shown.oneLine(failed));
            }
        }
        into.say("A fresh process with " + HEAP_MIB
                + " MiB of heap drains rows with such payloads (heap in use: what is left after a collection), with the defaults (batches of 500, 4 workers) and a handler that does nothing; CPU "
                + "includes the start of the process. By rows, four batches of 500 messages of 1 MB would be 2 GB.");
        curve.tell(into);
        show(curve.plot(title()), into);
        into.atMost("MiB of heap needed", curve.most(HEAP), HEAP_MIB * 0.75);
    }
}
