package org.pgbaton.bench.capture;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.bench.Arena;
import org.pgbaton.bench.Check;
import org.pgbaton.bench.Delays;
import org.pgbaton.bench.Finding;
import org.pgbaton.bench.Part;
import org.pgbaton.bench.Peers;
import org.pgbaton.bench.Player;
import org.pgbaton.bench.Shown;

/** Measures how long a single change takes from its commit. */
final class LatencyPart implements Part {
    private static final int RATE = 500;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Peers peers;
    private final Stage stage;

    LatencyPart(Peers peers) {
        this.peers = peers;
        this.stage = new Stage(peers);
    }

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String title() {
        return "From commit to the log";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        peers.buildWhatIsMissing(List.of(Contestants.MODULE));
        int seconds = (int) arena.sized(12, 4);
        into.say(
                RATE + " rows a second by " + ContestantProgram.WRITERS
                        + " writers, each in a transaction of its own, for " + seconds
                        + " s, after some for warming up. From the moment the writer's commit returned until the change was committed in the log (or "
                        + "the table), or the consumer had it: p50 / p99 / worst. *Order*: of the rows of each writer; for the handler of each key.");
        into.header("", "settings", "from commit", "order");
        for (Contestant contestant : Contestants.ofLatency()) {
            try {
                measure(arena, contestant, seconds, into);
            } catch (InterruptedException end) {
                throw end;
            } catch (Exception failed) {
                into.failed(contestant.name(), failed);
                arena.progress(contestant.name() + " FAILED: " + Shown.oneLine(failed));
            }
        }
    }

    private void measure(Arena arena, Contestant contestant, int seconds, Finding into) throws Exception {
        int warm = RATE * (int) arena.sized(4, 2);
        int rows = warm + RATE * seconds;
        Map<String, String> options = new HashMap<>();
        options.put("arrivals", Integer.toString(rows));
        // A writer's rows have different keys, and only those of one key are handled in order.
        boolean handled = contestant.equals(Contestants.HANDLED);
        options.put("keys", Integer.toString(handled ? rows : ContestantProgram.WRITERS));
        options.put("steps", Boolean.toString(contestant.equals(Contestants.BATON)));
        Path file = Files.createTempFile("baton-bench-", ".times");
        try (Wal wal = Wal.prepare(arena, Contestants.slots(List.of(contestant)));
                Player player = stage.process(wal, contestant, options);
                Player writer = Stage.writer(wal)) {
            player.ask(PATIENCE, "begin");
            writer.ask(PATIENCE, "write", 0, warm, RATE, file);
            player.ask(PATIENCE, "await", warm, 30);
            writer.ask(PATIENCE, "write", warm, rows, RATE, file);
            Check check = new Check();
            check.add(player.ask(PATIENCE, "await", rows, 30));
            report(arena, contestant, Delays.of(player.ask(PATIENCE, "latency", file)), check, into);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static void report(Arena arena, Contestant contestant, Delays delays, Check check, Finding into) {
        String name = contestant.name();
        arena.progress(name + ": " + delays.shown());
        into.row(name, contestant.settings(), delays.shown(), check.shown());
        delays.note(name, into);
        if (contestant.kind() == Contestant.Kind.BATON) {
            check.judge(name, true, into);
        }
    }
}
