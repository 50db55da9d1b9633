package org.pgbaton.server.captures;

import org.pgbaton.Baton;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton captures pause}. */
@Command(
        name = "pause",
        mixinStandardHelpOptions = true,
        description =
                "Whoever reads stops within a second or two; standing by goes on. The server keeps the WAL meanwhile.",
        header = {
            "Pauses a capture, in all processes.",
            "",
            "Example:",
            "  baton captures pause alerts --reason 'maintenance'",
            ""
        })
final class PauseCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The capture.")
    private String name = "";

    @Option(names = "--reason", paramLabel = "TEXT", description = "For the record (default: by hand).")
    private String reason = NO_REASON;

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) {
        Shown.named(baton, name);
        baton.captures().pause(name, reason);
        Output.say("Capture '" + name
                + "' is paused; the server keeps the WAL for it, so mind its disk, until 'baton captures " + "resume "
                + name + "'.");
        return ExitCode.DONE;
    }
}
