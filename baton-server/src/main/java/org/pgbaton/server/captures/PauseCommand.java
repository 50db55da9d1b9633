package org.pgbaton.server.captures;

import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OptionalReason;
import org.pgbaton.server.command.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
final class PauseCommand extends CaptureCommand {
    @Mixin
    private OptionalReason reason = new OptionalReason();

    @Override
    int run(Baton baton, CaptureStatus capture) {
        baton.captures().pause(capture.name(), reason.text());
        Output.say("Capture '" + capture.name()
                + "' is paused; the server keeps the WAL for it, so mind its disk, until 'baton captures resume "
                + capture.name() + "'.");
        return ExitCode.DONE;
    }
}
