package org.pgbaton.server.captures;

import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.RequiredReason;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton captures skip}. */
@Command(
        name = "skip",
        mixinStandardHelpOptions = true,
        description =
                "A change that has no key, or that cannot be decoded, will be the same however often it is read. The capture stands still before "
                        + "it until somebody decides. It is recorded, with who skipped it and why; 'baton captures show' lists it.",
        header = {
            "Passes over the change that holds a capture up.",
            "",
            "Examples:",
            "  baton captures skip alerts --reason 'the row is gone from the consumer already'",
            "  baton captures skip alerts --transaction --reason 'a clean-up of old rows'",
            ""
        })
final class SkipCommand extends CaptureCommand {
    @Mixin
    private RequiredReason reason = new RequiredReason();

    @Option(
            names = "--transaction",
            description =
                    "Also skip all other changes of the same transaction that cannot be captured; the rest is captured.")
    private boolean transaction;

    @Override
    int run(Baton baton, CaptureStatus capture) {
        String skipped = baton.captures().skip(capture.name(), transaction, reason.text());
        Output.say("Capture '" + capture.name() + "' passes over " + skipped);
        return ExitCode.DONE;
    }
}
