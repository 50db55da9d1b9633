package org.pgbaton.server.captures;

import org.pgbaton.Baton;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton captures snapshot}. */
@Command(
        name = "snapshot",
        mixinStandardHelpOptions = true,
        description =
                "They come with the operation 'read', in between the changes and never after a newer state of the same row; 'baton captures "
                        + "show' tells how far it is. Whoever runs the capture sends them; nothing happens while nobody does.",
        header = {
            "Sends the rows that are in a capture's tables now.",
            "",
            "Example:",
            "  baton captures snapshot alerts --reason 'a new consumer starts from scratch'",
            ""
        })
final class SnapshotCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The capture.")
    private String name = "";

    @Option(names = "--reason", paramLabel = "TEXT", description = "For the record (default: by hand).")
    private String reason = NO_REASON;

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) {
        Shown.named(baton, name);
        int tables = baton.captures().snapshot(name, reason);
        Output.say(
                tables == 0
                        ? "The rows of capture '" + name + "' are being sent already."
                        : "The rows of " + Output.count(tables, "table") + " of capture '" + name + "' will be sent.");
        return ExitCode.DONE;
    }
}
