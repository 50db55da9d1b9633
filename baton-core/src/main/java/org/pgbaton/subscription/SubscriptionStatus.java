package org.pgbaton.subscription;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as the whole database sees it; one row of the view {@code subscription_status}.
 *
 * @param target the version of the projection, empty if it has none
 * @param live whether this target is the one that counts; false while it is being rebuilt beside, or was replaced
 * @param note why it is in this state; null if nobody said so
 * @param epoch the highest of its lanes
 */
public record SubscriptionStatus(
        String name,
        String target,
        boolean live,
        String log,
        MessageOrder order,
        State state,
        @Nullable String note,
        Ownership ownership,
        Backlog backlog,
        Keys keys,
        long epoch,
        Instant createdAt) {
    /** The names and values that {@code baton status --json} prints. */
    public Map<String, @Nullable Object> asMap() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("target", target);
        map.put("live", live);
        map.put("log", log);
        map.put("order", order.word());
        map.put("state", state.word());
        map.put("note", note);
        map.put("members", ownership.members());
        map.put("lanes", ownership.lanes());
        map.put("lanesOwned", ownership.owned());
        map.put("position", backlog.position());
        map.put("behind", backlog.positions());
        map.put("lagSeconds", backlog.age().toNanos() / 1e9);
        map.put("parkedKeys", keys.parked());
        map.put("setAsideKeys", keys.setAside());
        map.put("heldBackBy", backlog.heldBackBy());
        map.put("epoch", epoch);
        map.put("createdAt", createdAt);
        return map;
    }

    /** What operators, handlers and switch-overs have made of a subscription. It says nothing about members: none may be alive. */
    public enum State {
        /** Registered; no member has begun yet. */
        NEW,
        /** Members handle messages, if any are alive. */
        RUNNING,
        /** By an operator. */
        PAUSED,
        /** By the handler's verdict, or by an operator. */
        STOPPED,
        /** Another target has replaced this one. */
        RETIRED;

        /** The word that the view and the command line use. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The state of that word. */
        public static State of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /**
     * Who works for the subscription.
     *
     * @param lanes that can have an owner: those of the log, groups of them, or one for a total order
     * @param owned how many of them have one
     * @param members who is alive
     */
    public record Ownership(int lanes, int owned, List<String> members) {}

    /**
     * What is not processed yet.
     *
     * @param position everything up to here has been processed, in every lane
     * @param positions from there to the end of the log; 0 if nothing waits
     * @param age how long the oldest waiting message has waited; zero if nothing waits
     * @param heldBackBy open transactions that wrote to the log, for which a lane waits; null if there are none
     */
    public record Backlog(
            long position,
            long positions,
            Duration age,
            @Nullable String heldBackBy) {
        /** Whether nothing waits. */
        public boolean isEmpty() {
            return positions == 0;
        }
    }

    /**
     * Keys whose messages wait in the subscription's table of parked keys.
     *
     * @param parked wait for an operator
     * @param setAside go on by themselves: slow, or between two attempts
     */
    public record Keys(int parked, int setAside) {
        /** Both kinds. */
        public int all() {
            return parked + setAside;
        }
    }
}
