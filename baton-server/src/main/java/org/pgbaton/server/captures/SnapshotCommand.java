package org.pgbaton.server.captures;

import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OptionalReason;
import org.pgbaton.server.command.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code baton captures snapshot}. */
@Command(
        name = "snapshot",
        mixinStandardHelpOptions = true,
        description =
                "The rows come with the operation 'read', between the changes, and never after a newer state of the same row; 'baton captures "
                        + "show' tells how far it is. The process that runs the capture sends them; nothing happens while none runs it.",
        header = {
            "Sends the rows that are in a capture's tables now.",
            "",
            "Example:",
            "  baton captures snapshot alerts --reason 'a new consumer starts from scratch'",
            ""
        })
final class SnapshotCommand extends CaptureCommand {
    @Mixin
    private OptionalReason reason = new OptionalReason();

    @Override
    int run(Baton baton, CaptureStatus capture) {
        int tables = baton.captures().snapshot(capture.name(), reason.text());
        Output.say(
                tables == 0
                        ? "The rows of capture '" + capture.name() + "' are being sent already."
                        : "The rows of " + Output.count(tables, "table") + " of capture '" + capture.name()
                                + "' will be sent.");
        return ExitCode.DONE;
    }
}
