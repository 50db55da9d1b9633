package org.pgbaton.server.subscriptions;

import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OptionalReason;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
final class PauseCommand extends SubscriptionCommand {
    @Mixin
    private OptionalReason reason = new OptionalReason();

    @Override
    int run(Baton baton, ChosenDatabase chosen, SubscriptionStatus status) {
        baton.subscriptions().ofTarget(status.target()).pause(status.name(), reason.text());
        Output.say("Subscription '" + status.name() + "' is paused; 'baton subscriptions resume " + status.name()
                + "' lets it go on.");
        return ExitCode.DONE;
    }
}
