package org.pgbaton.server.subscriptions;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.SubscriptionStatus;

/** Subscriptions as a table for people and as JSON for programs. */
public final class SubscriptionOutput {
    private static final List<String> HEAD = List.of(
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

    private static List<String> row(SubscriptionStatus status) {
        return List.of(
                status.name(),
                target(status),
                status.log(),
                status.state(),
                Integer.toString(status.members().size()),
                status.lanesOwned() + "/" + status.lanes(),
                Output.number(status.position()),
                Output.number(status.lagPositions()),
                status.lagPositions() == 0 ? "-" : Durations.shown(status.lag()),
                Integer.toString(status.parkedKeys()),
                note(status));
    }

    /** The name of the target; of one that is not live also what it is. */
    static String target(SubscriptionStatus status) {
        String name = status.target().isEmpty() ? "-" : status.target();
        if (status.live()) {
            return name;
        }
        return name + (status.state().equals("retired") ? " (retired)" : " (beside)");
    }

    /** The most important thing to know about the subscription; empty if all is well. */
    static String note(SubscriptionStatus status) {
        if (status.note() != null && !status.state().equals("running")) {
            return Output.shortened(status.note(), 80);
        }
        if (status.members().isEmpty() && !status.state().equals("retired")) {
            return "no member is alive";
        }
        if (status.heldBackBy() != null && status.lagPositions() > 0) {
            return Output.shortened("waits for " + status.heldBackBy(), 80);
        }
        return status.setAsideKeys() == 0 ? "" : Output.count(status.setAsideKeys(), "key") + " set aside for now";
    }

    public static Map<String, @Nullable Object> asMap(SubscriptionStatus status) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", status.name());
        map.put("target", status.target());
        map.put("live", status.live());
        map.put("log", status.log());
        map.put("order", status.order());
        map.put("state", status.state());
        map.put("note", status.note());
        map.put("members", status.members());
        map.put("lanes", status.lanes());
        map.put("lanesOwned", status.lanesOwned());
        map.put("position", status.position());
        map.put("behind", status.lagPositions());
        map.put("lagSeconds", status.lag().toNanos() / 1e9);
        map.put("parkedKeys", status.parkedKeys());
        map.put("setAsideKeys", status.setAsideKeys());
        map.put("heldBackBy", status.heldBackBy());
        map.put("epoch", status.epoch());
        map.put("createdAt", status.createdAt());
        return map;
    }
}
