package org.pgbaton.bench.log;

import java.time.Duration;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Shown;

/** How long until the handler is called. */
final class LatencyPart implements Part {
    private static final int[] RATES = {1, 100, 2000};

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String title() {
        return "Latency";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        into.say(
                "Writer and handler in one JVM, all defaults, p50 / p99 / worst: from the moment the writer's commit returned until "
                        + "the handler was entered (earlier counts as zero), and from the moment the writer sent its insert. The insert "
                        + "alone, without any reader in its way, shows what the machine was like.");
        into.header("rows/s", "rows", "from commit", "from insert", "the insert alone");
        for (int rate : RATES) {
            long seconds = rate == 1 ? arena.sized(25, 6) : arena.sized(12, 4);
            try (Place place = arena.place()) {
                Player.Words words = arena.player("latency")
                        .ask(Duration.ofSeconds(seconds + 60), "latency", place.url(), rate, seconds);
                arena.progress(rate + " rows/s: p50 " + Shown.millis(words.number(2) / 1e3) + ", p99 "
                        + Shown.millis(words.number(3) / 1e3));
                into.row(
                        Shown.rate(rate),
                        Long.toString(words.number(0)),
                        shown(words, 2),
                        shown(words, 5),
                        shown(words, 8));
                into.number(rate + " rows/s, commit to handler, p50 ms", words.number(2) / 1e3);
                into.number(rate + " rows/s, commit to handler, p99 ms", words.number(3) / 1e3);
                into.number(rate + " rows/s, commit to handler, worst ms", words.number(4) / 1e3);
                into.number(rate + " rows/s, insert to handler, p50 ms", words.number(5) / 1e3);
                into.number(rate + " rows/s, insert to handler, p99 ms", words.number(6) / 1e3);
                into.number(rate + " rows/s, insert to handler, worst ms", words.number(7) / 1e3);
                into.number(rate + " rows/s, the insert alone, p99 ms", words.number(9) / 1e3);
                into.atMostMillis(rate + " rows/s, commit to handler p50", words.number(2) / 1e3, 5);
                into.atMostMillis(rate + " rows/s, commit to handler p99", words.number(3) / 1e3, 25);
                if (words.number(1) > 0) {
                    throw new IllegalStateException(words.number(1) + " rows were not handled within 10 s");
                }
            } catch (InterruptedException end) {
                throw end;
            } catch (Exception failed) {
                into.failed(rate + " rows/s", failed);
                arena.progress(rate + " rows/s FAILED: " + Shown.oneLine(failed));
            }
        }
    }

    private static String shown(Player.Words words, int first) {
        return Shown.millis(words.number(first) / 1e3) + " / " + Shown.millis(words.number(first + 1) / 1e3) + " / "
                + Shown.millis(words.number(first + 2) / 1e3);
    }
}
