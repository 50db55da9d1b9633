package org.pgbaton.server.captures;

import java.io.IOException;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.server.command.Confirmation;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.RequiredReason;
import org.pgbaton.server.command.TryLaterException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code baton captures drop}. */
@Command(
        name = "drop",
        mixinStandardHelpOptions = true,
        description =
                "Removes its slot, its publication if Baton made it, and its mark; the log stays. Nobody may run it: exit 75 if "
                        + "somebody reads for it.",
        header = {
            "Drops a capture, so that the server keeps no WAL for it any more.",
            "",
            "Examples:",
            "  baton captures drop alerts --reason 'nobody wants them any more'",
            "  baton captures drop alerts --reason 'its slot was lost' --yes",
            ""
        })
final class DropCommand extends CaptureCommand {
    @Mixin
    private RequiredReason reason = new RequiredReason();

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    int run(Baton baton, CaptureStatus capture) throws IOException {
        if (capture.reader() != null) {
            throw new TryLaterException("Capture '" + capture.name() + "' is in use by " + capture.reader()
                    + ": stop the programs that run it first, or they would make it again.");
        }
        if (!confirmation.given("This drops the slot '" + capture.slot().name() + "'"
                + (capture.source().ownPublication()
                        ? " and the publication '" + capture.source().publication() + "'"
                        : "")
                + ": changes of " + String.join(", ", capture.source().tables()) + " that were not read yet ("
                + Output.bytes(capture.slot().behindBytes())
                + " of WAL) and all from now on are not captured. The log '" + capture.log() + "' stays.")) {
            return ExitCode.NEGATIVE;
        }
        baton.captures().drop(capture.name(), reason.text());
        Output.say("Capture '" + capture.name() + "' is dropped.");
        return ExitCode.DONE;
    }
}
