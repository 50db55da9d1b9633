package org.pgbaton.server.parked;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.ListingCommand;
import org.pgbaton.server.subscriptions.NamedSubscription;
import org.pgbaton.subscription.ParkedKey;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code baton parked list}. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description =
                "One line for each key that waits. 'parked' waits for an operator; 'retrying' and 'slow' go on by themselves.",
        header = {
            "Shows the keys that wait, and why.",
            "",
            "Examples:",
            "  baton parked list",
            "  baton parked list balances --watch",
            "  baton parked list --json | jq '.keys | group_by(.error)[] | {error: .[0].error, keys: length}'",
            ""
        })
final class ListCommand extends ListingCommand<ParkedKey> {
    @Parameters(index = "0", arity = "0..1", paramLabel = "SUBSCRIPTION", description = "Only its keys (default: all).")
    private @Nullable String subscription;

    ListCommand() {
        super("keys", "No key waits.");
    }

    @Override
    protected int run(Baton baton, ChosenDatabase chosen) throws Exception {
        if (subscription != null) {
            NamedSubscription.targets(baton, subscription); // refuses one that does not exist
        }
        return super.run(baton, chosen);
    }

    @Override
    protected List<ParkedKey> list(Baton baton) {
        return baton.subscriptions().parked(subscription);
    }

    @Override
    protected String table(List<ParkedKey> all) {
        return ParkedOutput.table(all);
    }

    @Override
    protected Map<String, @Nullable Object> asMap(ParkedKey one) {
        return ParkedOutput.asMap(one);
    }
}
