package org.pgbaton.subscription;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * What one attempt at a batch makes of its rows: some are handled, some passed over because their key is set aside. Another attempt
 * at the same rows begins anew. Belongs to one thread.
 */
final class Attempt {
    private final Options options;
    private final Claim claim;
    private final List<Message> todo = new ArrayList<>();
    private final List<Message> passed = new ArrayList<>();
    private final Map<String, Aside> asides = new LinkedHashMap<>();
    private final Map<String, Call> inFlight = new HashMap<>();
    /** Lanes that have anything in these rows. */
    private final Map<Lane, Long> reached = new LinkedHashMap<>();

    private long upTo;

    Attempt(Workshop shop, Claim claim, RowReader.Rows rows, Map<String, Suspect> suspects) {
        this.options = shop.options;
        this.claim = claim;
        this.upTo = rows.upTo();
        for (Message message : rows.messages()) {
            if (message.position() > upTo) {
                break; // total order, and one before it failed
            }
            if (claim.concerns(message)) {
                sort(message, suspects.get(message.key()), shop.slowKeys);
            }
        }
    }

    private void sort(Message message, @Nullable Suspect suspect, Set<String> slowKeys) {
        Lane lane = claim.laneOf(message);
        String key = message.key();
        if (lane.parked.containsKey(key) || asides.containsKey(key)) {
            passed.add(message);
        } else if (suspect != null && message.position() >= suspect.position()) {
            setAside(List.of(message), suspect);
        } else if (slowKeys.contains(key)) {
            asides.put(key, Aside.slow(lane, key));
            passed.add(message);
        } else {
            todo.add(message);
        }
    }

    /** What is, or was, to be handled. */
    List<Message> todo() {
        return todo;
    }

    List<Message> passed() {
        return passed;
    }

    Map<String, Aside> asides() {
        return asides;
    }

    /** Everything up to here has been dealt with. */
    long upTo() {
        return upTo;
    }

    boolean isEmpty() {
        return todo.isEmpty() && passed.isEmpty();
    }

    boolean isAside(String key) {
        return asides.containsKey(key);
    }

    /** Calls that were slow, and have not been waited for. */
    Collection<Call> inFlight() {
        return inFlight.values();
    }

    @Nullable
    Call inFlight(String key) {
        return inFlight.get(key);
    }

    void setAside(List<Message> unit, Suspect why) {
        Message first = unit.get(0);
        asides.put(first.key(), Aside.failed(claim.laneOf(first), first.key(), why, options));
        pass(unit);
        if (options.isTotal()) {
            endAt(unit.get(unit.size() - 1).position());
        }
    }

    /** The call goes on; whoever drains the key will wait for it. */
    void setAside(List<Message> unit, Call slow) {
        Message first = unit.get(0);
        inFlight.put(first.key(), slow);
        asides.put(first.key(), Aside.slow(claim.laneOf(first), first.key()));
        pass(unit);
    }

    void pass(List<Message> unit) {
        passed.addAll(unit);
        todo.removeAll(unit);
    }

    private void endAt(long position) {
        upTo = Math.min(upTo, position);
        todo.removeIf(message -> message.position() > upTo);
        passed.removeIf(message -> message.position() > upTo);
    }

    /** @return slow calls that are not recorded now: their message would be called again while they still run */
    List<Call> cutBefore(Collection<List<Message>> unhandled) {
        long first = Long.MAX_VALUE;
        for (List<Message> unit : unhandled) {
            for (Message message : unit) {
                first = Math.min(first, message.position());
            }
        }
        endAt(first - 1);
        Set<String> recorded = new HashSet<>();
        passed.forEach(message -> recorded.add(message.key()));
        List<Call> unrecorded = new ArrayList<>();
        asides.keySet().retainAll(recorded);
        inFlight.entrySet().removeIf(entry -> {
            boolean lost = !recorded.contains(entry.getKey());
            if (lost) {
                unrecorded.add(entry.getValue());
            }
            return lost;
        });
        return unrecorded;
    }

    /** The lanes whose checkpoint is to be moved, and where to. */
    Map<Lane, Long> closing() {
        Set<Lane> concerned = new HashSet<>();
        todo.forEach(message -> concerned.add(claim.laneOf(message)));
        passed.forEach(message -> concerned.add(claim.laneOf(message)));
        reached.clear();
        for (Lane lane : claim.lanes()) {
            if (concerned.contains(lane)) {
                reached.put(lane, claim.reached(lane, upTo));
            }
        }
        return reached;
    }
}
