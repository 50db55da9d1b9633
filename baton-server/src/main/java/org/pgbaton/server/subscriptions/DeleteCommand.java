package org.pgbaton.server.subscriptions;

import java.io.IOException;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.Confirmation;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.RequiredReason;
import org.pgbaton.server.command.TryLaterException;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code baton subscriptions delete}. */
@Command(
        name = "delete",
        mixinStandardHelpOptions = true,
        description =
                "Forgets how far it is, and its parked keys; the log and what handlers wrote stay. Nobody may run it: exit 75 "
                        + "if a member is alive.",
        header = {
            "Deletes a subscription, or one target of it.",
            "",
            "Examples:",
            "  baton subscriptions delete mails --reason 'mails come from another system now'",
            "  baton subscriptions delete balances --target v1 --reason 'replaced by v2' --yes",
            ""
        })
final class DeleteCommand extends SubscriptionCommand {
    @Mixin
    private RequiredReason reason = new RequiredReason();

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    int run(Baton baton, ChosenDatabase chosen, SubscriptionStatus status) throws IOException {
        if (!status.ownership().members().isEmpty()) {
            throw new TryLaterException("Subscription '" + status.name() + "' has live members ("
                    + String.join(", ", status.ownership().members()) + "): stop them first.");
        }
        if (!confirmation.given(impact(baton, status))) {
            return ExitCode.NEGATIVE;
        }
        baton.subscriptions().delete(status.name(), status.target(), reason.text());
        Output.say(what(status) + " is deleted.");
        return ExitCode.DONE;
    }

    private String impact(Baton baton, SubscriptionStatus status) {
        long waiting = baton.subscriptions().parked(status.name()).stream()
                .filter(key -> key.target().equals(status.target()))
                .mapToLong(ParkedKey::waiting)
                .sum();
        return "This forgets that " + what(status).replaceFirst("^S", "s").replaceFirst("^T", "t") + " is at position "
                + Output.number(status.backlog().position())
                + (waiting == 0
                        ? ""
                        : ", and that " + Output.count(waiting, "message") + " of "
                                + Output.count(status.keys().all(), "key")
                                + " were never handled")
                + "; a program that starts it again begins anew. Of its members, none is alive.";
    }

    private String what(SubscriptionStatus status) {
        return status.target().isEmpty()
                ? "Subscription '" + status.name() + "'"
                : "Target '" + status.target() + "' of subscription '" + status.name() + "'";
    }
}
