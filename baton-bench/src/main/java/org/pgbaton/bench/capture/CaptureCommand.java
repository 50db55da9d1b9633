package org.pgbaton.bench.capture;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.bench.Arena;
import org.pgbaton.bench.Machine;
import org.pgbaton.bench.Part;
import org.pgbaton.bench.PartsCommand;
import org.pgbaton.bench.Peers;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton bench capture}: from the WAL to the log, beside the fastest that is possible, and beside Debezium. */
@Command(
        name = "capture",
        mixinStandardHelpOptions = true,
        description = {
            "From the WAL to the log: draining a backlog, the latency of single changes, memory, connections and jars; beside",
            "pg_recvlogical to nowhere, a bare stream of the driver, and Debezium's embedded engine, with every change counted.",
            "Parts: drain, latency, footprint; all of them if none is named."
        })
public final class CaptureCommand extends PartsCommand {
    private static final int ROWS = 300_000;
    private static final int FEW_ROWS = 50_000;

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Changes of the backlog (default: 300000, with --quick 50000).")
    private @Nullable Integer rows;

    @Override
    protected String family() {
        return "capture";
    }

    @Override
    protected List<Part> parts(Path home) {
        int backlog = rows != null ? rows : isQuick() ? FEW_ROWS : ROWS;
        if (backlog < 1000 || backlog > 10_000_000) {
            throw wrong("--rows " + backlog + " makes no sense: give 1000 to 10000000 (default 300000).");
        }
        Peers peers = new Peers(home);
        return List.of(new DrainPart(peers, backlog), new LatencyPart(peers), new FootprintPart(peers));
    }

    @Override
    protected Arena arena(boolean small, int times) throws SQLException {
        return Arena.logical(small, times, ContestantProgram.class);
    }

    @Override
    protected String introduction(Arena arena) throws SQLException {
        return "## Capture\n\nMachine: " + Machine.description() + "; " + arena.version()
                + ", fsync on, `wal_level=logical`, shared_buffers " + Arena.sharedBuffers()
                + ". Each contestant is a JVM of its own with default flags except 768 MiB of heap and the serial collector, and with no more "
                + "jars than it needs.\n";
    }
}
