package org.pgbaton.server.parked;

import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.NotThereException;
import org.pgbaton.server.command.OperatorCommand;
import org.pgbaton.server.subscriptions.NamedSubscription;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.subscription.Subscriptions;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command about one key that waits. Without {@code --target} it is looked for in the live target of the subscription. */
abstract class ParkedKeyCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "SUBSCRIPTION", description = "The subscription.")
    private String subscription = "";

    @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
    private String key = "";

    @Option(names = "--target", paramLabel = "TARGET", description = "Another target than the live one.")
    private @Nullable String target;

    @Override
    protected final int run(Baton baton, ChosenDatabase chosen) throws Exception {
        SubscriptionStatus status = NamedSubscription.liveOr(baton, subscription, target);
        return run(baton.subscriptions().ofTarget(status.target()), status, find(baton, status));
    }

    private ParkedKey find(Baton baton, SubscriptionStatus in) {
        return baton.subscriptions().parked(in.name()).stream()
                .filter(each -> each.target().equals(in.target()) && each.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new NotThereException("Key '" + key + "' of subscription '" + in.name()
                        + "' does not wait; 'baton parked list " + in.name() + "' shows those that do."));
    }

    /**
     * @param subscriptions for actions on the target that has the key
     * @return the exit code
     */
    abstract int run(Subscriptions subscriptions, SubscriptionStatus status, ParkedKey parked) throws Exception;
}
