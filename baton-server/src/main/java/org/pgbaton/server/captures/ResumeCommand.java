package org.pgbaton.server.captures;

import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OptionalReason;
import org.pgbaton.server.command.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
final class ResumeCommand extends CaptureCommand {
    @Mixin
    private OptionalReason reason = new OptionalReason();

    @Override
    int run(Baton baton, CaptureStatus capture) {
        baton.captures().resume(capture.name(), reason.text());
        Output.say("Capture '" + capture.name() + "' goes on.");
        return ExitCode.DONE;
    }
}
