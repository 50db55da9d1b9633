package org.pgbaton.server.subscriptions;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.Confirmation;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import org.pgbaton.server.TryLaterException;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
final class DeleteCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The subscription.")
    private String name = "";

    @Option(names = "--target", paramLabel = "TARGET", description = "Another target than the live one.")
    private @Nullable String target;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "For the record.")
    private String reason = "";

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) throws IOException {
        SubscriptionStatus status = Named.liveOr(baton, name, target);
        if (!status.members().isEmpty()) {
            throw new TryLaterException("Subscription '" + name + "' has live members ("
                    + String.join(", ", status.members()) + "): stop them first.");
        }
        if (!confirmation.given(impact(baton, status))) {
            return ExitCode.NEGATIVE;
        }
        baton.subscriptions().delete(name, status.target(), reason);
        Output.say(what(status) + " is deleted.");
        return ExitCode.DONE;
    }

    private String impact(Baton baton, SubscriptionStatus status) {
        long waiting = baton.subscriptions().parked(name).stream()
                .filter(key -> key.target().equals(status.target()))
                .mapToLong(ParkedKey::waiting)
                .sum();
        return "This forgets that " + what(status).replaceFirst("^S", "s").replaceFirst("^T", "t") + " is at position "
                + Output.number(status.position())
                + (waiting == 0
                        ? ""
                        : ", and that " + Output.count(waiting, "message") + " of "
                                + Output.count(status.parkedKeys() + status.setAsideKeys(), "key")
                                + " were never handled")
                + "; a program that starts it again begins anew. Of its members, none is alive.";
    }

    private String what(SubscriptionStatus status) {
        return status.target().isEmpty()
                ? "Subscription '" + name + "'"
                : "Target '" + status.target() + "' of subscription '" + name + "'";
    }
}
