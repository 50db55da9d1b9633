package org.pgbaton.bench.outbox;

import java.util.List;
import java.util.Map;
import org.pgbaton.bench.outbox.Contestant.Kind;
import org.pgbaton.bench.outbox.Contestant.When;

/** All contestants, in the order of the report. */
final class Contestants {
    static final String LIMIT = "a bare producer (limit)";
    static final String TUNED_LIMIT = "a bare producer, tuned (limit)";
    static final String READING = "Baton, a handler that does nothing (limit)";
    static final String EXACTLY_ONCE = "Baton, exactly once";
    static final String AT_LEAST_ONCE = "Baton, at least once";
    static final List<String> MODES = List.of(EXACTLY_ONCE, AT_LEAST_ONCE);

    private static final int LARGE = 1_500_000;
    private static final int MEDIUM = 500_000;
    /** What everybody who is tuned has in common. */
    private static final String LARGE_BATCHES = "131072";
    /**
     * For contestants that wait for each answer: with Kafka's default, the producer would wait for further messages
     * that never come.
     */
    private static final Map<String, String> NO_LINGER = Map.of("kafka.linger.ms", "0");

    private Contestants() {}

    static List<Contestant> ofDrain(boolean quick) {
        return all().stream()
                .filter(each -> each.when() == When.ALWAYS || (each.when() != When.LATENCY && !quick))
                .toList();
    }

    static List<Contestant> ofLatency(boolean quick) {
        return all().stream()
                .filter(each -> each.kind() != Kind.READING && each.when() != When.DRAIN)
                .filter(each -> !quick || (each.when() != When.WITH_TIME && !each.isPolling()))
                .toList();
    }

    static Contestant named(String name) {
        return all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no contestant " + name));
    }

    /** Baton's relay with its defaults. */
    static Contestant baton(String mode, int processes) {
        return named(inProcesses(mode, processes));
    }

    private static List<Contestant> all() {
        return List.of(
                Contestant.ours(LIMIT, Kind.LIMIT, BareProducer.class, 1, null, LARGE)
                        .with("idempotent, `acks=all`, Kafka's defaults (`linger.ms=5`); no database", Map.of()),
                Contestant.ours(TUNED_LIMIT, Kind.LIMIT, BareProducer.class, 1, null, LARGE)
                        .with(
                                "the same, `linger.ms=20`, `batch.size=131072`",
                                Map.of("kafka.linger.ms", "20", "kafka.batch.size", LARGE_BATCHES))
                        .only(When.DRAIN),
                Contestant.ours(READING, Kind.READING, NoOpReader.class, 1, Outbox.BATON, LARGE)
                        .with("a subscription to the same outbox, defaults; no Kafka", Map.of()),
                relay(EXACTLY_ONCE, 1),
                relay(EXACTLY_ONCE, 3),
                relay(AT_LEAST_ONCE, 1),
                relay(AT_LEAST_ONCE, 3),
                tuned(EXACTLY_ONCE),
                tuned(AT_LEAST_ONCE),
                debezium("Debezium 3.6.1, defaults")
                        .with("embedded engine, outbox event router, offsets in a file; `linger.ms=0`", NO_LINGER),
                debezium("Debezium 3.6.1, tuned")
                        .with(
                                "the same, `max.batch.size=8192`, `max.queue.size=32768`, `poll.interval.ms=5`, `batch.size=131072`",
                                Map.of(
                                        "kafka.linger.ms",
                                        "0",
                                        "kafka.batch.size",
                                        LARGE_BATCHES,
                                        "debezium.max.batch.size",
                                        "8192",
                                        "debezium.max.queue.size",
                                        "32768",
                                        "debezium.poll.interval.ms",
                                        "5"))
                        .only(When.DRAIN),
                debezium("Debezium 3.6.1, polls every 5 ms")
                        .with(
                                "the same, `poll.interval.ms=5`",
                                Map.of("kafka.linger.ms", "0", "debezium.poll.interval.ms", "5"))
                        .only(When.LATENCY),
                namastack("Namastack 1.6.0, defaults", 4000)
                        .with(
                                "its JDBC starter: batch 10 keys, polls every 2 s, 4 threads; the handler waits for Kafka; `linger.ms=0`",
                                NO_LINGER)
                        .only(When.WITH_TIME),
                namastack("Namastack 1.6.0, batch 200", 8000)
                        .with(
                                "the same, batch 200 keys, polls every 10 ms, 8 threads",
                                Map.of(
                                        "kafka.linger.ms",
                                        "0",
                                        "namastack.outbox.polling.batch-size",
                                        "200",
                                        "namastack.outbox.polling.fixed.interval",
                                        "10ms",
                                        "namastack.outbox.processing.executor-core-pool-size",
                                        "8"))
                        .only(When.WITH_TIME),
                gruelbox("gruelbox 4.2.268, defaults")
                        .with(
                                "1 thread, flush in batches of 4096, once a second when there is nothing; promises no order; `linger.ms=0`",
                                Map.of("kafka.linger.ms", "0", "threads", "1"))
                        .only(When.WITH_TIME),
                gruelbox("gruelbox 4.2.268, 8 threads")
                        .with("the same, 8 threads", Map.of("kafka.linger.ms", "0", "threads", "8"))
                        .only(When.WITH_TIME),
                polling(1),
                polling(3).only(When.WITH_TIME));
    }

    /** The modules of peers that these need. */
    static List<String> modules(List<Contestant> contestants) {
        return contestants.stream()
                .map(Contestant::module)
                .filter(module -> !module.isEmpty())
                .distinct()
                .toList();
    }

    private static Contestant debezium(String name) {
        return Contestant.peer(name, Kind.WAL, "debezium", "DebeziumPeer", Outbox.EVENT_ROUTER, MEDIUM);
    }

    private static Contestant namastack(String name, int backlog) {
        return Contestant.peer(name, Kind.ORDERED_POLLING, "namastack", "NamastackPeer", null, backlog);
    }

    private static Contestant gruelbox(String name) {
        return Contestant.peer(name, Kind.POLLING, "gruelbox", "GruelboxPeer", null, 8000);
    }

    static String inProcesses(String name, int processes) {
        return name + ", " + processes + (processes == 1 ? " process" : " processes");
    }

    private static Contestant tuned(String mode) {
        return Contestant.ours(mode + ", tuned", Kind.BATON, BatonRelay.class, 1, Outbox.BATON, LARGE)
                .with(
                        "1 process, batch 5,000, `batch.size=131072`",
                        Map.of(
                                "exactlyOnce",
                                Boolean.toString(mode.equals(EXACTLY_ONCE)),
                                "batch",
                                "5000",
                                "kafka.batch.size",
                                LARGE_BATCHES))
                .only(When.DRAIN);
    }

    private static Contestant relay(String name, int processes) {
        return Contestant.ours(
                        inProcesses(name, processes), Kind.BATON, BatonRelay.class, processes, Outbox.BATON, LARGE)
                .with("defaults", Map.of("exactlyOnce", Boolean.toString(name.equals(EXACTLY_ONCE))));
    }

    private static Contestant polling(int pods) {
        return Contestant.ours(
                        "a hand-written relay, " + pods + (pods == 1 ? " pod" : " pods"),
                        Kind.ORDERED_POLLING,
                        PollingRelay.class,
                        pods,
                        Outbox.STATUS,
                        8000)
                .with(
                        "advisory locks, batch 500, pause 50 ms when there is nothing, each message confirmed before the next; with an "
                                + "index for it; `linger.ms=0`",
                        NO_LINGER);
    }
}
