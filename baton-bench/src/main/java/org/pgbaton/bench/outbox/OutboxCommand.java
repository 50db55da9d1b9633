package org.pgbaton.bench.outbox;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Machine;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.PartsCommand;
import org.pgbaton.bench.arena.Peers;
import picocli.CommandLine.Command;

/** {@code baton bench outbox}: from the outbox to Kafka, beside a bare producer and beside peers. */
@Command(
        name = "outbox",
        mixinStandardHelpOptions = true,
        description = {
            "From the outbox to Kafka: draining a backlog, with slow acknowledgements, the latency of single messages, a cold start, and",
            "with a core kept busy; beside a bare producer, Debezium, and outboxes that poll, with the order of each key checked for everybody.",
            "Parts: drain, acknowledgements, latency, cold, busy; all if none is named."
        })
public final class OutboxCommand extends PartsCommand {
    @Override
    protected String family() {
        return "outbox";
    }

    @Override
    protected List<Part> parts(Path home) {
        Peers peers = new Peers(home);
        return List.of(
                new DrainPart(peers),
                new AcknowledgementsPart(peers),
                new LatencyPart(peers),
                new ColdPart(peers),
                new BusyPart(peers));
    }

    @Override
    protected Arena arena(boolean small, int times) throws SQLException {
        return Arena.logical(small, times, ReaderProgram.class);
    }

    @Override
    protected String introduction(Arena arena) throws SQLException {
        return "## The outbox\n\nMachine: " + Machine.description() + "; " + arena.version()
                + ", fsync on, `wal_level=logical`, shared_buffers " + Arena.sharedBuffers() + "; Kafka "
                + Kafka.version()
                + ", one broker in a JVM of its own, the same for everybody. Each process of a contestant is a JVM of its own with default "
                + "flags except 768 MiB of heap and the serial collector, as are the consumer and the broker.\n";
    }
}
