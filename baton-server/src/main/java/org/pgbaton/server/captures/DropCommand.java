package org.pgbaton.server.captures;

import java.io.IOException;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.server.Confirmation;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import org.pgbaton.server.TryLaterException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
final class DropCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The capture.")
    private String name = "";

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "For the record.")
    private String reason = "";

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) throws IOException {
        CaptureStatus status = Shown.named(baton, name);
        if (status.owner() != null) {
            throw new TryLaterException("Capture '" + name + "' is in use by " + status.owner()
                    + ": stop the programs that run it first, or they would make it again.");
        }
        if (!confirmation.given("This drops the slot '" + status.slot() + "'"
                + (status.ownPublication() ? " and the publication '" + status.publication() + "'" : "")
                + ": changes of " + String.join(", ", status.tables()) + " that were not read yet ("
                + Output.bytes(status.behindBytes())
                + " of WAL) and all from now on are not captured. The log '" + status.log() + "' stays.")) {
            return ExitCode.NEGATIVE;
        }
        baton.captures().drop(name, reason);
        Output.say("Capture '" + name + "' is dropped.");
        return ExitCode.DONE;
    }
}
