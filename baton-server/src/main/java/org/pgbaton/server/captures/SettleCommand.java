package org.pgbaton.server.captures;

import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.RequiredReason;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
final class SettleCommand extends CaptureCommand {
    @Mixin
    private RequiredReason reason = new RequiredReason();

    @Override
    int run(Baton baton, CaptureStatus capture) {
        int settled = baton.captures().settle(capture.name(), reason.text());
        Output.say(
                settled == 0
                        ? "Capture '" + capture.name() + "' has no gap that is over and not settled."
                        : Output.count(settled, "gap") + " of capture '" + capture.name() + "' settled.");
        return ExitCode.DONE;
    }
}
