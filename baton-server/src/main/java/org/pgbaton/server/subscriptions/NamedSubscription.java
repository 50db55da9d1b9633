package org.pgbaton.server.subscriptions;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.command.NotThereException;
import org.pgbaton.server.command.Suggestion;
import org.pgbaton.subscription.SubscriptionStatus;

/** Finds subscriptions by name. If there is none, the exception says which name was probably meant. */
public final class NamedSubscription {
    private NamedSubscription() {}

    /** The targets of a subscription, the live one first. */
    public static List<SubscriptionStatus> targets(Baton baton, String name) {
        List<SubscriptionStatus> all = baton.subscriptions().list();
        List<SubscriptionStatus> found =
                all.stream().filter(each -> each.name().equals(name)).toList();
        if (found.isEmpty()) {
            throw new NotThereException("There is no subscription '" + name + "'"
                    + Suggestion.didYouMean(
                            name, all.stream().map(SubscriptionStatus::name).toList())
                    + " 'baton subscriptions list' shows them all.");
        }
        return found;
    }

    /** The live target. */
    public static SubscriptionStatus live(Baton baton, String name) {
        return targets(baton, name).stream()
                .filter(SubscriptionStatus::live)
                .findFirst()
                .orElseThrow(() -> new NotThereException("Subscription '" + name
                        + "' has no live target; 'baton subscriptions show " + name + "' shows those it has."));
    }

    /** @param target null for the live one */
    public static SubscriptionStatus liveOr(Baton baton, String name, @Nullable String target) {
        return target == null ? live(baton, name) : target(baton, name, target);
    }

    static SubscriptionStatus target(Baton baton, String name, String target) {
        List<SubscriptionStatus> all = targets(baton, name);
        return all.stream()
                .filter(each -> each.target().equals(target))
                .findFirst()
                .orElseThrow(() -> new NotThereException(
                        "Subscription '" + name + "' has no target '" + target + "': start a program with .target(\""
                                + target + "\") first, which builds it beside the live one."));
    }

    /** For sentences: "no member is alive", "alive: a, b". */
    public static String alive(SubscriptionStatus status) {
        List<String> members = status.ownership().members();
        return members.isEmpty() ? "no member is alive" : "alive: " + String.join(", ", members);
    }
}
