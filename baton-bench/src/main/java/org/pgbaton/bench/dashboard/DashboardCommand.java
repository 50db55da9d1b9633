package org.pgbaton.bench.dashboard;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Machine;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.PartsCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton bench dashboard}: many viewers of many subscriptions and parked keys. */
@Command(
        name = "dashboard",
        mixinStandardHelpOptions = true,
        description = {
            "The dashboard with many viewers: how long pages and the API take, how much a page weighs, and whether workers get slower.",
            "Parts: pages, workers; both if none is named."
        })
public final class DashboardCommand extends PartsCommand {
    @Option(names = "--viewers", paramLabel = "N", description = "Viewers at once (default: 50, with --quick 5).")
    private @Nullable Integer viewers;

    @Option(names = "--parked", paramLabel = "N", description = "Parked keys (default: 1000, with --quick 50).")
    private @Nullable Integer parked;

    @Option(
            names = "--subscriptions",
            paramLabel = "N",
            description = "Subscriptions with a member (default: 100, with --quick 10).")
    private @Nullable Integer subscriptions;

    @Override
    protected String family() {
        return "dashboard";
    }

    @Override
    protected List<Part> parts(Path home) {
        Audience audience = new Audience(
                number("--viewers", viewers, 50, 5, 190),
                number("--subscriptions", subscriptions, 100, 10, 1000),
                number("--parked", parked, 1000, 50, 100_000));
        return List.of(new PagesPart(audience), new WorkersPart(audience));
    }

    private int number(String option, @Nullable Integer given, int full, int small, int most) {
        int number = given != null ? given : isQuick() ? small : full;
        if (number < 1 || number > most) {
            throw wrong(option + " " + number + " makes no sense: give 1 to " + most + " (default " + full + ").");
        }
        return number;
    }

    @Override
    protected Arena arena(boolean small, int times) throws SQLException {
        return new Arena(small, times, DeskProgram.class, Map.of("max_locks_per_transaction", "256"));
    }

    @Override
    protected String introduction(Arena arena) throws SQLException {
        return "## The dashboard\n\nMachine: " + Machine.description() + "; " + arena.version()
                + ", fsync on, shared_buffers " + Arena.sharedBuffers()
                + ". Workers, the process that serves the dashboard, and all viewers are JVMs of their own on this machine, so that "
                + "viewers also compete with workers for its cores.\n";
    }
}
