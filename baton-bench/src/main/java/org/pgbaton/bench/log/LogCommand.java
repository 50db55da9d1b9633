package org.pgbaton.bench.log;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Machine;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.PartsCommand;
import picocli.CommandLine.Command;

/** {@code baton bench log}: appending, reading, latency, members, takeover and idling of a log, beside limits and peers. */
@Command(
        name = "log",
        mixinStandardHelpOptions = true,
        description = {
            "Appending, draining, projections, latency, long logs, members, takeover, idling, and other event stores.",
            "Parts: append, drain, projection, latency, scale, members, takeover, idle, peers; all of them if none is named.",
            "'trigger' compares forms of the append trigger, and is never among all. Takeovers are ten times as many as rounds."
        })
public final class LogCommand extends PartsCommand {
    @Override
    protected String family() {
        return "log";
    }

    @Override
    protected List<Part> parts(Path home) {
        return List.of(
                new AppendPart(),
                new DrainPart(),
                new ProjectionPart(),
                new LatencyPart(),
                new ScalePart(),
                new MembersPart(),
                new TakeoverPart(),
                new IdlePart(),
                new PeersPart(home));
    }

    @Override
    protected List<Part> extraParts() {
        return List.of(new TriggerPart());
    }

    @Override
    protected Arena arena(boolean small, int times) throws SQLException {
        return new Arena(small, times, PlayerProgram.class, Map.of());
    }

    @Override
    protected String introduction(Arena arena) throws SQLException {
        return "## The log\n\nMachine: " + Machine.description() + "; " + arena.version()
                + ", fsync on, shared_buffers " + Arena.sharedBuffers()
                + ". Baton's part runs in JVMs of their own with default flags except 768 MiB of heap and the serial collector, as do the "
                + "peers.\n";
    }
}
