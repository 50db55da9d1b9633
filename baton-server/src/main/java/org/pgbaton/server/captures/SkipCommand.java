package org.pgbaton.server.captures;

import org.pgbaton.Baton;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
final class SkipCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The capture.")
    private String name = "";

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "For the record.")
    private String reason = "";

    @Option(
            names = "--transaction",
            description =
                    "Also all other changes of the same transaction that cannot be told; those that can are captured.")
    private boolean transaction;

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) {
        Shown.named(baton, name);
        String skipped = baton.captures().skip(name, transaction, reason);
        Output.say("Capture '" + name + "' passes over " + skipped);
        return ExitCode.DONE;
    }
}
