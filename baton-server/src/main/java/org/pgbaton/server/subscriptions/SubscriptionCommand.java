package org.pgbaton.server.subscriptions;

import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.OperatorCommand;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command about one target of a subscription, which must exist. Without {@code --target} that is the live one. */
abstract class SubscriptionCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The subscription.")
    private String name = "";

    @Option(names = "--target", paramLabel = "TARGET", description = "Another target than the live one.")
    private @Nullable String target;

    @Override
    protected final int run(Baton baton, ChosenDatabase chosen) throws Exception {
        return run(baton, chosen, NamedSubscription.liveOr(baton, name, target));
    }

    /** @return the exit code */
    abstract int run(Baton baton, ChosenDatabase chosen, SubscriptionStatus status) throws Exception;
}
