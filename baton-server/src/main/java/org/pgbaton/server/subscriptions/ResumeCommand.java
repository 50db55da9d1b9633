package org.pgbaton.server.subscriptions;

import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton subscriptions resume}. */
@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        description = "After a pause, or after it stopped itself.",
        header = {
            "Lets a subscription go on.",
            "",
            "Examples:",
            "  baton subscriptions resume balances",
            "  baton subscriptions resume balances --reason 'the bank is back'",
            ""
        })
final class ResumeCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The subscription.")
    private String name = "";

    @Option(names = "--target", paramLabel = "TARGET", description = "Another target than the live one.")
    private @Nullable String target;

    @Option(names = "--reason", paramLabel = "TEXT", description = "For the record (default: by hand).")
    private String reason = NO_REASON;

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) {
        SubscriptionStatus status = Named.liveOr(baton, name, target);
        baton.subscriptions().ofTarget(status.target()).resume(name, reason);
        Output.say("Subscription '" + name + "' goes on.");
        return ExitCode.DONE;
    }
}
