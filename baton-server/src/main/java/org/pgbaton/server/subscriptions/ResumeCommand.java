package org.pgbaton.server.subscriptions;

import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OptionalReason;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
final class ResumeCommand extends SubscriptionCommand {
    @Mixin
    private OptionalReason reason = new OptionalReason();

    @Override
    int run(Baton baton, ChosenDatabase chosen, SubscriptionStatus status) {
        baton.subscriptions().ofTarget(status.target()).resume(status.name(), reason.text());
        Output.say("Subscription '" + status.name() + "' goes on.");
        return ExitCode.DONE;
    }
}
