package org.pgbaton.server.subscriptions;

import java.util.List;
import java.util.Map;
import org.pgbaton.Baton;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import org.pgbaton.server.Watch;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
final class ListCommand extends OperatorCommand {
    @Option(names = "--watch", description = "Show it again every second, until Ctrl-C.")
    private boolean watch;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) throws InterruptedException {
        Watch.show(watch, () -> show(baton.subscriptions().list()));
        return ExitCode.DONE;
    }

    private void show(List<SubscriptionStatus> subscriptions) {
        if (json) {
            Output.json(Map.of(
                    "subscriptions",
                    subscriptions.stream().map(SubscriptionTable::asMap).toList()));
            return;
        }
        Watch.clear(watch);
        if (subscriptions.isEmpty()) {
            Output.say("There is no subscription here yet; the first program that starts one makes it.");
        } else {
            Output.text(SubscriptionTable.of(subscriptions));
        }
    }
}
