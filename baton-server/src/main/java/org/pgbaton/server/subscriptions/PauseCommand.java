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

/** {@code baton subscriptions pause}. */
@Command(
        name = "pause",
        mixinStandardHelpOptions = true,
        description =
                "Members finish what they have begun, and begin nothing new until it is resumed. They keep their lanes; nothing is lost.",
        header = {
            "Pauses a subscription, in all processes.",
            "",
            "Examples:",
            "  baton subscriptions pause balances",
            "  baton subscriptions pause balances --reason 'the bank is down'",
            ""
        })
final class PauseCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The subscription.")
    private String name = "";

    @Option(names = "--target", paramLabel = "TARGET", description = "Another target than the live one.")
    private @Nullable String target;

    @Option(names = "--reason", paramLabel = "TEXT", description = "For the record (default: by hand).")
    private String reason = NO_REASON;

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) {
        SubscriptionStatus status = Named.liveOr(baton, name, target);
        baton.subscriptions().ofTarget(status.target()).pause(name, reason);
        Output.say("Subscription '" + name + "' is paused; 'baton subscriptions resume " + name + "' lets it go on.");
        return ExitCode.DONE;
    }
}
