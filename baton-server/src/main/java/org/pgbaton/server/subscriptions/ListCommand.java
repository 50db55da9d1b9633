package org.pgbaton.server.subscriptions;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ListingCommand;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;

/** {@code baton subscriptions list}. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description =
                "One line for each subscription, and for each target of it: who is alive, how far it is, what is parked.",
        header = {
            "Shows every subscription.",
            "",
            "Examples:",
            "  baton subscriptions list",
            "  baton subscriptions list --watch",
            "  baton subscriptions list --json | jq '.subscriptions[] | {name, behind, lagSeconds}'",
            ""
        })
final class ListCommand extends ListingCommand<SubscriptionStatus> {
    ListCommand() {
        super("subscriptions", "There is no subscription here yet; the first program that starts one makes it.");
    }

    @Override
    protected List<SubscriptionStatus> list(Baton baton) {
        return baton.subscriptions().list();
    }

    @Override
    protected String table(List<SubscriptionStatus> all) {
        return SubscriptionOutput.table(all);
    }

    @Override
    protected Map<String, @Nullable Object> asMap(SubscriptionStatus one) {
        return one.asMap();
    }
}
