package org.pgbaton.server.captures;

import org.pgbaton.Baton;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton captures resume}. */
@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        description = "It goes on where it was; nothing is lost.",
        header = {
            "Lets a paused capture go on.",
            "",
            "Example:",
            "  baton captures resume alerts --reason 'maintenance'",
            ""
        })
final class ResumeCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The capture.")
    private String name = "";

    @Option(names = "--reason", paramLabel = "TEXT", description = "For the record (default: by hand).")
    private String reason = NO_REASON;

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) {
        Shown.named(baton, name);
        baton.captures().resume(name, reason);
        Output.say("Capture '" + name + "' goes on.");
        return ExitCode.DONE;
    }
}
