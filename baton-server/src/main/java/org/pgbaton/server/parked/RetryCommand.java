package org.pgbaton.server.parked;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OperatorCommand;
import org.pgbaton.server.command.OptionalReason;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.UsageException;
import org.pgbaton.server.subscriptions.NamedSubscription;
import org.pgbaton.subscription.Subscriptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton parked retry}. */
@Command(
        name = "retry",
        mixinStandardHelpOptions = true,
        description =
                "The owner of the lane tries it at once, and has all attempts again. Exits with 1 if one of the keys named does not "
                        + "wait for a retry.",
        header = {
            "Tries parked keys again.",
            "",
            "Examples:",
            "  baton parked retry balances P7",
            "  baton parked retry balances P7 P8 P9 --reason 'the account exists now'",
            "  baton parked retry balances --all",
            "  baton parked retry balances --all --error 'connection refused'",
            ""
        })
final class RetryCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "SUBSCRIPTION", description = "The subscription.")
    private String subscription = "";

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "KEY", description = "The keys.")
    private List<String> keys = List.of();

    @Option(names = "--all", description = "All keys of the subscription.")
    private boolean all;

    @Option(names = "--error", paramLabel = "TEXT", description = "With --all: only those whose error contains this.")
    private @Nullable String error;

    @Option(names = "--target", paramLabel = "TARGET", description = "Another target than the live one.")
    private @Nullable String target;

    @Mixin
    private OptionalReason reason = new OptionalReason();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    protected void check() {
        if (all != keys.isEmpty()) {
            throw new UsageException("Which keys? Name them, or say --all; give one of the two.");
        }
        if (error != null && !all) {
            throw new UsageException("--error chooses among all keys: add --all, and name no key.");
        }
    }

    @Override
    protected int run(Baton baton, ChosenDatabase chosen) {
        Subscriptions subscriptions = baton.subscriptions()
                .ofTarget(NamedSubscription.liveOr(baton, subscription, target).target());
        int retried = 0;
        boolean missed = false;
        if (all) {
            retried = subscriptions.retryAll(subscription, error, reason.text());
        }
        for (String key : keys) {
            if (subscriptions.retry(subscription, key, reason.text())) {
                retried++;
            } else {
                missed = true;
                Output.say("Key '" + key + "' of subscription '" + subscription + "' waits for no retry.");
            }
        }
        if (json) {
            Output.json(Map.of("retried", retried));
        } else {
            Output.say(Output.count(retried, "key") + (retried == 1 ? " is" : " are") + " tried again.");
        }
        return missed ? ExitCode.NEGATIVE : ExitCode.DONE;
    }
}
