package org.pgbaton.server;

import java.time.Duration;
import org.pgbaton.server.demo.DemoCommand;
import org.pgbaton.server.demo.DemoWorkerCommand;
import org.pgbaton.server.doctor.DoctorCommand;
import org.pgbaton.server.lead.LeadCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code baton}. */
@Command(
        name = "baton",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        subcommands = {
            DemoCommand.class,
            DemoWorkerCommand.class,
            LeadCommand.class,
            StatusCommand.class,
            DoctorCommand.class,
            MigrateCommand.class,
            WarmUpCommand.class,
        },
        header = {
            "Exactly one processor at a time, with nothing but PostgreSQL.",
            "",
            "Examples:",
            "  baton demo                                   kill leaders, watch the takeover",
            "  baton lead nightly -- ./report.sh            run a command only if nobody else does",
            "  baton lead --wait worker -- ./worker         stand by, then run it while leading",
            "  baton status --watch                         who leads, who waits",
            "  baton doctor --database-url postgres://…     is this database fit for it?",
            "",
        },
        footer = {
            "",
            "From a source checkout also: baton bench leadership",
            "Exit codes: 0 done, 1 negative verdict, 64 usage, 69 database unreachable, 70 internal error,",
            "            75 held by somebody else or waited in vain, 78 configuration; 'lead' passes the command's on.",
        })
public final class Main implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        return new CommandLine(new Main())
                .registerConverter(Duration.class, Durations::parse)
                .setUsageHelpWidth(110)
                .setParameterExceptionHandler(Main::explainUsage)
                .setExecutionExceptionHandler((failure, command, parsed) -> Failure.report(failure))
                .execute(arguments);
    }

    private static int explainUsage(ParameterException wrong, String[] arguments) {
        CommandLine command = wrong.getCommandLine();
        System.err.println("baton: " + wrong.getMessage());
        if (!UnmatchedArgumentException.printSuggestions(wrong, command.getErr())) {
            System.err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        }
        return ExitCode.USAGE;
    }

    @Override
    public void run() {
        if (spec != null) {
            spec.commandLine().usage(System.out);
        }
    }

    /** From the jar's manifest. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {
                "baton " + (version == null ? "(development)" : version) + ", Java " + Runtime.version()
            };
        }
    }
}
