package org.pgbaton.server.logs;

import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.log.LogOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.Output;
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
    private @Nullable Keep retention;

    @Override
    int run(Baton baton) {
        LogOptions options = LogOptions.defaults().lanes(lanes);
        if (retention != null && retention.time() != null) {
            options = options.retention(retention.time());
        }
        boolean created = baton.logs().create(name, options);
        if (!created) {
            System.err.println("The log '" + name + "' is there already; nothing was changed.");
        }
        if (json()) {
            Output.json(Shown.asMap(baton.logs().show(name)));
        } else if (created) {
            System.out.println("created " + name);
        }
        return ExitCode.DONE;
    }
}
