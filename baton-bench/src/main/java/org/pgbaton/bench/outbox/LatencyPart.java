package org.pgbaton.bench.outbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Check;
import org.pgbaton.bench.arena.Delays;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Peers;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Shown;

/** Measures how long a message takes from its commit to a consumer. */
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
        List<Contestant> contestants = Contestants.ofLatency(arena.isQuick());
        peers.buildWhatIsMissing(Contestants.modules(contestants));
        int seconds = (int) arena.sized(12, 2);
        into.say(
                RATE + " messages a second over " + Messages.KEYS
                        + " portfolios, each in a transaction of its own, for " + seconds
                        + " s, after " + warmUp(arena)
                        + " s at the same rate for warming up, and with a broker that is warm. From the moment the writer's commit returned (of the bare producer: its `send`) until a "
                        + "consumer with `read_committed` had the message, which is later than the broker's append: p50 / p99 / worst.");
        into.header("", "settings", "from commit", "order per key");
        try (Kafka kafka = Kafka.start()) {
            arena.progress("warming up");
            for (Contestant first :
                    List.of(Contestants.named(Contestants.LIMIT), Contestants.baton(Contestants.EXACTLY_ONCE, 1))) {
                measure(arena, kafka, first, 1, new Check());
            }
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
        Delays delays = measure(arena, kafka, contestant, seconds, check);
        String name = contestant.name();
        arena.progress(name + ": " + delays.shown());
        into.row(name, contestant.settings(), delays.shown(), check.shown());
        delays.note(name, into);
        if (contestant.kind() == Contestant.Kind.BATON) {
            into.atMostMillis(name + ", p50", delays.p50(), contestant.isExactlyOnce() ? 6 : 4);
            into.atMostMillis(name + ", p99", delays.p99(), contestant.isExactlyOnce() ? 30 : 12);
            check.judge(name, contestant.isExactlyOnce(), into);
        }
    }

    private static int warmUp(Arena arena) {
        return (int) arena.sized(8, 1);
    }

    private Delays measure(Arena arena, Kafka kafka, Contestant contestant, int seconds, Check check) throws Exception {
        int warm = RATE * warmUp(arena);
        int messages = warm + RATE * seconds;
        Player reader = arena.player("reader");
        Path file = Files.createTempFile("baton-bench-", ".times");
        try (Stage stage = new Stage(kafka, peers, contestant, Stage.empty(arena, contestant), 0)) {
            reader.ask(PATIENCE, "watch", kafka.direct(), stage.topic(), messages);
            stage.start();
            stage.begin();
            stage.write(0, warm, RATE, file);
            stage.write(warm, messages, RATE, file);
            Player.Words seen = reader.ask(PATIENCE, "await", arena.sized(15, 5));
            check.add(seen);
            return Delays.of(reader.ask(PATIENCE, "latency", file));
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
