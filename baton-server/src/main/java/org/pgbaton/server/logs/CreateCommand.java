package org.pgbaton.server.logs;

import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.log.LogOptions;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton logs create}. */
@Command(
        name = "create",
        mixinStandardHelpOptions = true,
        description = "Does nothing if the log is there with the same number of lanes.",
        header = {
            "Creates a log.",
            "",
            "Examples:",
            "  baton logs create orders",
            "  baton logs create orders --lanes 64 --retention 30d",
            "  baton logs create mails --outbox",
            "",
        })
final class CreateCommand extends LogsTask {
    @Parameters(
            paramLabel = "NAME",
            description = "1 to 40 small letters, digits and underscores, not starting with a digit.")
    private String name = "";

    @Option(
            names = "--lanes",
            paramLabel = "N",
            description = "How many lanes its keys are spread over, 1 to 1024 (default: 16). Can never be changed.")
    private int lanes = LogOptions.defaults().lanes();

    @Option(
            names = "--retention",
            paramLabel = "TIME",
            description = "How long rows are kept at least, for example 30d (default: forever).")
    private @Nullable Retention retention;

    @Option(
            names = "--outbox",
            description = "To publish from: messages need a topic, and what could never be published is refused.")
    private boolean outbox;

    @Option(
            names = "--limit",
            paramLabel = "SIZE",
            description = "Of an outbox: the largest payload, for example 5MB (default: 1000000 bytes).")
    private @Nullable ByteSize limit;

    @Override
    int run(Baton baton) {
        LogOptions options = LogOptions.defaults().lanes(lanes);
        if (retention != null && retention.time() != null) {
            options = options.retention(retention.time());
        }
        if (limit != null && !outbox) {
            throw new UsageException("--limit is for an outbox: add --outbox, or leave it out.");
        }
        if (outbox) {
            options = limit == null ? options.outbox() : options.outbox(limit.bytes());
        }
        boolean created = baton.logs().create(name, options);
        if (!created) {
            Output.say("The log '" + name + "' is there already; nothing was changed.");
        }
        if (json()) {
            Output.json(LogOutput.asMap(baton.logs().show(name)));
        } else if (created) {
            Output.line("created " + name);
        }
        return ExitCode.DONE;
    }
}
