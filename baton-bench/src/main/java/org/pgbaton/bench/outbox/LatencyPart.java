package org.pgbaton.bench.outbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.pgbaton.bench.Arena;
import org.pgbaton.bench.Finding;
import org.pgbaton.bench.Part;
import org.pgbaton.bench.Peers;
import org.pgbaton.bench.Player;
import org.pgbaton.bench.Shown;

/** How long a message takes from its commit to a consumer. */
final class LatencyPart implements Part {
    private static final int RATE = 500;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Peers peers;

    LatencyPart(Peers peers) {
        this.peers = peers;
    }

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String title() {
        return "From commit to Kafka";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        peers.buildWhatIsMissing(Contestants.modules());
        int seconds = (int) arena.sized(15, 4);
        into.say(
                RATE + " messages a second over " + Messages.KEYS
                        + " portfolios, each in a transaction of its own, for " + seconds
                        + " s, after some for warming up. From the moment the writer's commit returned (of the bare producer: its `send`) until a "
                        + "consumer with `read_committed` had the message, which is later than the broker's append: p50 / p99 / worst.");
        into.header("", "settings", "from commit", "order per key");
        try (Kafka kafka = new Kafka()) {
            arena.progress("warming up");
            List<Contestant> contestants = Contestants.ofLatency(arena.isQuick());
            measure(arena, kafka, contestants.get(0), 1, new Check());
            for (Contestant contestant : contestants) {
                try {
                    measured(arena, kafka, contestant, seconds, into);
                } catch (InterruptedException end) {
                    throw end;
                } catch (Exception failed) {
                    into.failed(contestant.name(), failed);
                    arena.progress(contestant.name() + " FAILED: " + Shown.oneLine(failed));
                }
            }
        }
    }

    private void measured(Arena arena, Kafka kafka, Contestant contestant, int seconds, Finding into) throws Exception {
        Check check = new Check();
        Player.Words words = measure(arena, kafka, contestant, seconds, check);
        String name = contestant.name();
        double p50 = words.number(0) / 1e3;
        double p99 = words.number(1) / 1e3;
        String shown = Shown.millis(p50) + " / " + Shown.millis(p99) + " / " + Shown.millis(words.number(2) / 1e3);
        arena.progress(name + ": " + shown);
        into.row(name, contestant.settings(), shown, check.shown());
        into.number(name + ", p50 ms", p50);
        into.number(name + ", p99 ms", p99);
        if (contestant.kind() == Contestant.Kind.BATON) {
            into.atMostMillis(name + ", p50", p50, 10);
            into.atMostMillis(name + ", p99", p99, 50);
            check.judge(contestant, into);
        }
    }

    /** @return what the reader answers to {@code latency} */
    private Player.Words measure(Arena arena, Kafka kafka, Contestant contestant, int seconds, Check check)
            throws Exception {
        int warm = RATE * (int) arena.sized(4, 2);
        int messages = warm + RATE * seconds;
        Player reader = arena.player("reader");
        Path file = Files.createTempFile("baton-bench-", ".times");
        try (Stage stage = new Stage(kafka, peers, contestant, Stage.place(arena, contestant), 0)) {
            reader.ask(PATIENCE, "watch", kafka.servers(), stage.topic(), messages);
            stage.begin();
            stage.write(0, warm, RATE, file);
            stage.write(warm, messages, RATE, file);
            Player.Words seen = reader.ask(PATIENCE, "await", arena.sized(15, 5));
            check.add(seen);
            return reader.ask(PATIENCE, "latency", file);
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
