package org.pgbaton.server;

import java.time.Duration;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.pgbaton.server.captures.CapturesCommand;
import org.pgbaton.server.channels.ChannelsCommand;
import org.pgbaton.server.command.CommandGroup;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.demo.DemoCommand;
import org.pgbaton.server.demo.DemoWorkerCommand;
import org.pgbaton.server.doctor.DoctorCommand;
import org.pgbaton.server.lead.LeadCommand;
import org.pgbaton.server.leaderships.LeadershipsCommand;
import org.pgbaton.server.logs.ByteSize;
import org.pgbaton.server.logs.LogsCommand;
import org.pgbaton.server.logs.Retention;
import org.pgbaton.server.parked.ParkedCommand;
import org.pgbaton.server.process.ServeCommand;
import org.pgbaton.server.serve.InitCommand;
import org.pgbaton.server.shell.CompletionCommand;
import org.pgbaton.server.shell.ManPagesCommand;
import org.pgbaton.server.subscriptions.SubscriptionsCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.TypeConversionException;

/** {@code baton}. */
@Command(
        name = "baton",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        subcommands = {
            DemoCommand.class,
            DemoWorkerCommand.class,
            InitCommand.class,
            ServeCommand.class,
            LeadCommand.class,
            LeadershipsCommand.class,
            StatusCommand.class,
            SubscriptionsCommand.class,
            ParkedCommand.class,
            LogsCommand.class,
            CapturesCommand.class,
            ChannelsCommand.class,
            DoctorCommand.class,
            MigrateCommand.class,
            CompletionCommand.class,
            ManPagesCommand.class,
            WarmUpCommand.class,
            CommandLine.HelpCommand.class,
        },
        header = {
            "Exactly one processor at a time, with nothing but PostgreSQL.",
            "",
            "Examples:",
            "  baton demo                                   kill leaders, watch the takeover",
            "  baton lead nightly --at-most-every 12h -- ./report.sh   from cron on every host: one of them runs it",
            "  baton lead --wait worker -- ./worker         stand by, then run it while leading",
            "  baton init                                   write a baton.yaml to start from",
            "  baton serve -c baton.yaml                    run the relays of a file: outbox to webhook, Kafka, …",
            "  baton status --watch                         who leads, who waits, how far subscriptions are",
            "  baton parked list                            what is stuck, and why",
            "  baton logs list                              the logs, their rows, who holds them back",
            "  baton captures list                          who reads row changes, how much WAL is kept for them",
            "  baton channels test ops --row '{…}'          what would be sent to Slack, e-mail, a webhook",
            "  baton doctor --database-url postgres://…     is this database fit for it?",
            "",
        },
        footer = {
            "",
            "From a source checkout also: baton bench leadership, baton chaos",
            "Exit codes: 0 done, 1 negative verdict, 64 usage, 69 database unreachable, 70 internal error,",
            "            75 held by somebody else or waited in vain, 78 configuration; 'lead' passes the command's on.",
        })
public final class Main extends CommandGroup {
    /** The driver logs what it throws, too. A static field, because the logger and its level could be garbage collected otherwise. */
    private static final Logger DRIVER = Logger.getLogger("org.postgresql");

    public static void main(String[] arguments) {
        DRIVER.setLevel(Level.OFF);
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        CommandLine baton = new CommandLine(new Main())
                .registerConverter(Duration.class, Durations::parse)
                .registerConverter(Retention.class, text -> Retention.parse(text, Durations::parse))
                .registerConverter(ByteSize.class, ByteSize::parse)
                .registerConverter(Long.class, text -> number(text, Long::valueOf))
                .registerConverter(int.class, text -> number(text, Integer::valueOf))
                .registerConverter(Integer.class, text -> number(text, Integer::valueOf))
                .setUsageHelpWidth(110)
                .setCaseInsensitiveEnumValuesAllowed(true)
                // An argument such as @file belongs to the command that 'lead' runs.
                .setExpandAtFiles(false)
                .setParameterExceptionHandler(Misunderstanding::explain)
                .setExecutionExceptionHandler((failure, command, parsed) -> Failure.report(failure));
        withVersion(baton);
        return baton.execute(arguments);
    }

    private static void withVersion(CommandLine command) {
        command.getCommandSpec().versionProvider(new Version());
        command.getSubcommands().values().forEach(Main::withVersion);
    }

    /** Like picocli's own converter, but the message does not speak of "an int". */
    private static <T> T number(String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (NumberFormatException wrong) {
            throw new TypeConversionException("'" + text + "' is no whole number, or too large");
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
