package org.pgbaton.dashboard.look;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.leadership.LeaderStatus;

/**
 * What one look saw. Immutable.
 *
 * @param number grows with every look
 * @param at by the database's clock
 * @param ends the last position of each log
 * @param trouble why the look failed; then the rest is what was seen before. Null if it succeeded
 */
public record Snapshot(
        long number,
        Instant at,
        List<Subscription> subscriptions,
        List<LeaderStatus> leaders,
        List<Capture> captures,
        List<Schedule> schedules,
        Map<String, Long> ends,
        @Nullable String trouble) {

    /** The same, seen no better: the database does not answer. */
    Snapshot withTrouble(long next, String why) {
        return new Snapshot(next, at, subscriptions, leaders, captures, schedules, ends, why);
    }

    static Snapshot nothing(long number, Instant at, String why) {
        return new Snapshot(number, at, List.of(), List.of(), List.of(), List.of(), Map.of(), why);
    }

    /** The live target, or the named one. */
    public Optional<Subscription> subscription(String name, @Nullable String target) {
        return subscriptions.stream()
                .filter(each -> each.name().equals(name)
                        && (target == null ? each.live() : each.target().equals(target)))
                .findFirst();
    }

    /** Every process that owns a lane, takes part in a subscription or leads, with the number of its lanes. */
    public Map<String, Integer> processes() {
        Map<String, Integer> lanes = new TreeMap<>();
        subscriptions.forEach(each -> each.members().forEach(member -> lanes.putIfAbsent(member.who(), 0)));
        leaders.forEach(each -> {
            if (each.holder() != null) {
                lanes.putIfAbsent(each.holder(), 0);
            }
        });
        subscriptions.stream().flatMap(each -> each.lanes().stream()).forEach(lane -> {
            if (lane.owner() != null) {
                lanes.merge(lane.owner(), 1, Integer::sum);
            }
        });
        return lanes;
    }

    /** How many keys wait for an operator. */
    public int parked() {
        return subscriptions.stream().collect(Collectors.summingInt(Subscription::parked));
    }
}
