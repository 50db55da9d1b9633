package org.pgbaton.bench;

import org.pgbaton.bench.arena.Shown;
import org.pgbaton.bench.capture.CaptureCommand;
import org.pgbaton.bench.dashboard.DashboardCommand;
import org.pgbaton.bench.growth.GrowthCommand;
import org.pgbaton.bench.leadership.LeadershipCommand;
import org.pgbaton.bench.log.LogCommand;
import org.pgbaton.bench.outbox.OutboxCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** {@code baton bench}. */
@Command(
        name = "baton bench",
        mixinStandardHelpOptions = true,
        subcommands = {
            LeadershipCommand.class,
            LogCommand.class,
            OutboxCommand.class,
            CaptureCommand.class,
            GrowthCommand.class,
            DashboardCommand.class
        },
        header = {
            "Measures Baton beside its peers and writes the results to docs/benchmarks.md.",
            "",
            "Examples:",
            "  baton bench leadership                 all of it, about 25 minutes",
            "  baton bench leadership --no-peers      only Baton, about 5 minutes",
            "  baton bench leadership --rounds 6 --no-write",
            "  baton bench log                        the log and its subscriptions, about 30 minutes",
            "  baton bench log append latency         only these parts",
            "  baton bench log --quick                small sizes, about 8 minutes, nothing is written down",
            "  baton bench outbox                     from the outbox to Kafka, about 25 minutes",
            "  baton bench outbox --quick             small sizes, about 2 minutes, nothing is written down",
            "  baton bench capture                    from the WAL to the log, about 8 minutes",
            "  baton bench capture drain --rounds 1 --rows 50000 --no-write",
            "  baton bench growth --scale small       how cost grows, small sizes, a minute or two for each part",
            "  baton bench growth --parts rows,backlog,retention --for 1h",
            "  baton bench dashboard                  50 viewers of 100 subscriptions, about 5 minutes",
            "  baton bench dashboard pages --quick    5 viewers, a minute, nothing is written down",
            "",
        })
public final class Bench implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Bench())
                .setUsageHelpWidth(110)
                .setParameterExceptionHandler(Bench::explainUsage)
                .setExecutionExceptionHandler((failed, command, parsed) -> {
                    System.err.println("baton: " + Shown.oneLine(failed));
                    return 70;
                })
                .execute(arguments));
    }

    private static int explainUsage(ParameterException wrong, String[] arguments) {
        System.err.println("baton: " + wrong.getMessage() + "\nTry 'baton bench --help'.");
        return 64;
    }

    @Override
    public void run() {
        if (spec != null) {
            spec.commandLine().usage(System.out);
        }
    }
}
