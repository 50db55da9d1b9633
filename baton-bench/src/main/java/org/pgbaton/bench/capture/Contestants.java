package org.pgbaton.bench.capture;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.bench.capture.Contestant.Kind;

/** All contestants, in the order of the report. */
final class Contestants {
    static final String MODULE = "debezium";
    static final String BATON_SLOT = "baton";
    static final String BARE_SLOT = "bare";
    static final String DECODING_SLOT = "decoding";

    static final Contestant RECVLOGICAL = new Contestant(
            "`pg_recvlogical` to nowhere (limit)",
            Kind.LIMIT,
            "`--file /dev/null`, pgoutput; its start counts too",
            "",
            "",
            Map.of(),
            "recvlogical",
            null);
    static final Contestant BARE = new Contestant(
            "a bare stream (limit of the driver)",
            Kind.LIMIT,
            "pgjdbc's replication stream, each message read and forgotten; warmed up",
            "",
            BareStream.class.getName(),
            Map.of(),
            BARE_SLOT,
            null);
    static final Contestant DECODING = new Contestant(
            "Baton, decoding alone",
            Kind.DECODING,
            "the same stream, Baton's decoder, to key and JSON; one thread; warmed up",
            "",
            BatonDecoding.class.getName(),
            Map.of("tracked", "true"),
            DECODING_SLOT,
            null);
    static final Contestant BATON = new Contestant(
            "Baton, into the log",
            Kind.BATON,
            "defaults: each change once, the mark in the same transaction",
            "",
            BatonCapture.class.getName(),
            Map.of(),
            BATON_SLOT,
            "baton." + Wal.CAPTURE);
    static final Contestant HANDLED = new Contestant(
            "Baton, to a subscription's handler",
            Kind.BATON,
            "the same, and a subscription with its defaults",
            "",
            BatonCapture.class.getName(),
            Map.of("handler", "true", "tracked", "true"),
            BATON_SLOT,
            null);
    static final Contestant DEBEZIUM = debezium(
            "Debezium 3.6.1, to a consumer",
            "embedded engine, JSON without schemas, offsets in a file",
            "counting",
            Map.of());
    static final Contestant DEBEZIUM_SOON = debezium(
            "Debezium 3.6.1, to a consumer, polls every 5 ms",
            "the same, `poll.interval.ms=5`",
            "soon",
            Map.of("debezium.poll.interval.ms", "5"));
    static final Contestant DEBEZIUM_TABLE = new Contestant(
            "Debezium 3.6.1, into a table",
            Kind.DEBEZIUM,
            "the same; each batch with multi-row inserts into a plain table, then its offsets; at least once",
            MODULE,
            DEBEZIUM.mainClass(),
            Map.of("into", "table"),
            "table",
            TableSink.NAME);

    private Contestants() {}

    private static Contestant debezium(String name, String settings, String slot, Map<String, String> own) {
        Map<String, String> options = new HashMap<>(own);
        options.put("tracked", "true");
        return new Contestant(
                name,
                Kind.DEBEZIUM,
                settings,
                MODULE,
                "org.pgbaton.bench.peers.DebeziumCapturePeer",
                options,
                slot,
                null);
    }

    static List<Contestant> ofDrain(boolean recvlogical) {
        return recvlogical
                ? List.of(RECVLOGICAL, BARE, DECODING, BATON, DEBEZIUM, DEBEZIUM_TABLE)
                : List.of(BARE, DECODING, BATON, DEBEZIUM, DEBEZIUM_TABLE);
    }

    static List<Contestant> ofLatency() {
        return List.of(BATON, HANDLED, DEBEZIUM, DEBEZIUM_SOON, DEBEZIUM_TABLE);
    }

    static List<Contestant> ofFootprint() {
        return List.of(BATON, DEBEZIUM_TABLE);
    }

    /** The slots that Baton does not make itself. */
    static List<String> slots(List<Contestant> contestants) {
        return contestants.stream()
                .map(Contestant::slot)
                .filter(slot -> !slot.equals(BATON_SLOT))
                .distinct()
                .toList();
    }
}
