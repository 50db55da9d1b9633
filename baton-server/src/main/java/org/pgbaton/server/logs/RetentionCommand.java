package org.pgbaton.server.logs;

import org.pgbaton.Baton;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code baton logs retention}. */
@Command(
        name = "retention",
        mixinStandardHelpOptions = true,
        description =
                "Removes nothing by itself; 'baton logs retain' does, and so does every process with a subscription.",
        header = {
            "Says how long the rows of a log are kept.",
            "",
            "Examples:",
            "  baton logs retention orders 30d",
            "  baton logs retention orders forever",
            "",
        })
final class RetentionCommand extends LogsTask {
    @Parameters(index = "0", paramLabel = "NAME", description = "The log.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "TIME", description = "For example 12h, 30d or forever.")
    private Retention keep = new Retention(null);

    @Override
    int run(Baton baton) {
        if (keep.time() == null) {
            baton.logs().keepForever(name);
        } else {
            baton.logs().setRetention(name, keep.time());
        }
        if (json()) {
            Output.json(LogOutput.asMap(baton.logs().show(name)));
        } else {
            Output.line(name + " kept " + keep);
        }
        return ExitCode.DONE;
    }
}
