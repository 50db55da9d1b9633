package org.pgbaton.server.subscriptions;

import java.util.List;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.subscription.SubscriptionStatus.Backlog;
import org.pgbaton.subscription.SubscriptionStatus.Ownership;
import org.pgbaton.subscription.SubscriptionStatus.State;

/** Subscriptions as a table for people. */
public final class SubscriptionOutput {
    /** The names of its columns. */
    public static final List<String> HEAD = List.of(
            "SUBSCRIPTION",
            "TARGET",
            "LOG",
            "STATE",
            "MEMBERS",
            "LANES",
            "POSITION",
            "BEHIND",
            "LAG",
            "PARKED",
            "NOTE");

    private SubscriptionOutput() {}

    public static String table(List<SubscriptionStatus> subscriptions) {
        return Output.table(
                HEAD, subscriptions.stream().map(SubscriptionOutput::row).toList());
    }

    /** What stands in its columns. */
    public static List<String> row(SubscriptionStatus status) {
        Ownership ownership = status.ownership();
        Backlog backlog = status.backlog();
        return List.of(
                status.name(),
                target(status),
                status.log(),
                status.state().word(),
                Integer.toString(ownership.members().size()),
                ownership.owned() + "/" + ownership.lanes(),
                Output.number(backlog.position()),
                Output.number(backlog.positions()),
                backlog.isEmpty() ? "-" : Durations.shown(backlog.age()),
                Integer.toString(status.keys().parked()),
                note(status));
    }

    /** The name of the target; of one that is not live also what it is. */
    static String target(SubscriptionStatus status) {
        String name = status.target().isEmpty() ? "-" : status.target();
        if (status.live()) {
            return name;
        }
        return name + (status.state() == State.RETIRED ? " (retired)" : " (beside)");
    }

    /** The most important thing to know about the subscription; empty if all is well. */
    static String note(SubscriptionStatus status) {
        if (status.note() != null && status.state() != State.RUNNING) {
            return Output.shortened(status.note(), 80);
        }
        if (status.ownership().members().isEmpty() && status.state() != State.RETIRED) {
            return "no member is alive";
        }
        String writers = status.backlog().heldBackBy();
        if (writers != null && !status.backlog().isEmpty()) {
            return Output.shortened("waits for " + writers, 80);
        }
        int aside = status.keys().setAside();
        return aside == 0 ? "" : Output.count(aside, "key") + " set aside for now";
    }
}
