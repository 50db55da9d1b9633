package org.pgbaton.bench.capture;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.pgbaton.bench.Arena;
import org.pgbaton.bench.Finding;
import org.pgbaton.bench.Part;
import org.pgbaton.bench.Peers;
import org.pgbaton.bench.Player;

/** Measures memory, connections and jars. */
final class FootprintPart implements Part {
    private static final int ROWS = 50_000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Peers peers;

    FootprintPart(Peers peers) {
        this.peers = peers;
    }

    @Override
    public String name() {
        return "footprint";
    }

    @Override
    public String title() {
        return "Footprint";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        peers.buildWhatIsMissing(List.of(Contestants.MODULE));
        Stage stage = new Stage(peers);
        into.say(String.format(
                Locale.ROOT,
                "After a backlog of %,d changes, still running: heap in use after a collection; the most memory that the process had (heap "
                        + "from 256 to 768 MiB for both); connections to the database; jars without those for log output.",
                ROWS));
        into.header("", "heap", "memory at most", "connections", "jars");
        List<Contestant> contestants = Contestants.ofFootprint();
        Jars ours = Jars.ofBaton();
        Jars theirs = Jars.of(peers.jars(Contestants.MODULE));
        try (Wal wal = Wal.prepare(arena, Contestants.slots(contestants))) {
            wal.fill(ROWS);
            for (Contestant contestant : contestants) {
                Jars jars = contestant.module().isEmpty() ? ours : theirs;
                try (Player player = stage.process(wal, contestant, Map.of())) {
                    player.ask(PATIENCE, "drain", ROWS, 60);
                    long connections = wal.connections();
                    Player.Words words = player.ask(PATIENCE, "footprint");
                    String heap = mebibytes(words.number(0));
                    String memory = mebibytes(words.number(1));
                    arena.progress(contestant.name() + ": " + heap + ", " + memory + ", " + connections);
                    into.row(contestant.name(), heap, memory, Long.toString(connections), jars.shown());
                    into.number(contestant.name() + ", heap bytes", (double) words.number(0));
                    into.number(contestant.name() + ", memory bytes", (double) words.number(1));
                    into.number(contestant.name() + ", connections", (double) connections);
                    into.number(contestant.name() + ", jars", jars.number());
                }
            }
        }
        into.atMost("jars, beside Debezium's", ours.number() / (double) theirs.number(), 0.1);
    }

    private static String mebibytes(long bytes) {
        return bytes == 0 ? "–" : String.format(Locale.ROOT, "%.0f MiB", bytes / 1048576.0);
    }
}
