package org.pgbaton.server.captures;

import org.pgbaton.Baton;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton captures settle}. */
@Command(
        name = "settle",
        mixinStandardHelpOptions = true,
        description =
                "A gap is a time in which changes did not come into the log, because somebody changed a table or the publication. Health and "
                        + "doctor warn of it until it is settled. 'baton captures snapshot' sends the rows that are there now.",
        header = {
            "Says that the gaps of a capture are dealt with.",
            "",
            "Example:",
            "  baton captures settle alerts --reason 'all rows were sent again'",
            ""
        })
final class SettleCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The capture.")
    private String name = "";

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "For the record.")
    private String reason = "";

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) {
        Shown.named(baton, name);
        int settled = baton.captures().settle(name, reason);
        Output.say(
                settled == 0
                        ? "Capture '" + name + "' has no gap that is over and not settled."
                        : Output.count(settled, "gap") + " of capture '" + name + "' settled.");
        return ExitCode.DONE;
    }
}
