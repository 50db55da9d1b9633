package org.pgbaton.server.subscriptions;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OperatorCommand;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.OperatorAction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton subscriptions actions}. */
@Command(
        name = "actions",
        mixinStandardHelpOptions = true,
        description = "The latest first. Subscriptions that stopped themselves are here, too.",
        header = {
            "Shows who did what, when and why.",
            "",
            "Examples:",
            "  baton subscriptions actions",
            "  baton subscriptions actions --limit 1000 --json | jq '.actions[] | select(.what == \"skip\")'",
            ""
        })
final class ActionsCommand extends OperatorCommand {
    private static final List<String> HEAD = List.of("AT", "", "WHO", "WHAT", "SUBJECT", "DETAIL", "REASON");

    @Option(names = "--limit", paramLabel = "N", description = "How many at most (default: 50).")
    private int limit = 50;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    protected void check() {
        if (limit < 1) {
            throw new IllegalArgumentException("--limit " + limit + " makes no sense: give 1 or more (default 50).");
        }
    }

    @Override
    protected int run(Baton baton, ChosenDatabase chosen) {
        List<OperatorAction> actions = baton.subscriptions().actions(limit);
        if (json) {
            Output.json(Map.of(
                    "actions", actions.stream().map(ActionsCommand::asMap).toList()));
        } else if (actions.isEmpty()) {
            Output.say("Nobody has done anything by hand here yet.");
        } else {
            Instant now = Instant.now();
            Output.text(Output.table(
                    HEAD, actions.stream().map(each -> row(each, now)).toList()));
        }
        return ExitCode.DONE;
    }

    private static List<String> row(OperatorAction action, Instant now) {
        return List.of(
                action.at().toString().replaceFirst("\\..*", "Z"),
                Durations.ago(action.at(), now),
                action.who(),
                action.what(),
                action.subject(),
                action.detail() == null ? "" : Output.shortened(action.detail(), 60),
                action.reason() == null ? "" : Output.shortened(action.reason(), 60));
    }

    private static Map<String, @Nullable Object> asMap(OperatorAction action) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("at", action.at());
        map.put("who", action.who());
        map.put("what", action.what());
        map.put("subject", action.subject());
        map.put("detail", action.detail());
        map.put("reason", action.reason());
        map.put("user", action.byUser());
        return map;
    }
}
