package org.pgbaton.server.parked;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.DatabaseOptions;
import org.pgbaton.server.ExitCode;
import org.pgbaton.server.OperatorCommand;
import org.pgbaton.server.Output;
import org.pgbaton.server.Watch;
import org.pgbaton.server.subscriptions.Named;
import org.pgbaton.subscription.ParkedKey;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
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
final class ListCommand extends OperatorCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "SUBSCRIPTION", description = "Only its keys (default: all).")
    private @Nullable String subscription;

    @Option(names = "--watch", description = "Show it again every second, until Ctrl-C.")
    private boolean watch;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    protected int run(Baton baton, DatabaseOptions.Place place) throws InterruptedException {
        if (subscription != null) {
            Named.targets(baton, subscription);
        }
        Watch.show(watch, () -> show(baton.subscriptions().parked(subscription)));
        return ExitCode.DONE;
    }

    private void show(List<ParkedKey> keys) {
        if (json) {
            Output.json(Map.of("keys", keys.stream().map(ParkedTable::asMap).toList()));
            return;
        }
        Watch.clear(watch);
        if (keys.isEmpty()) {
            Output.say("No key waits.");
        } else {
            Output.text(ParkedTable.of(keys));
        }
    }
}
