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
    private final Workshop shop;
    private final Map<String, Parked> flowing;
    private final List<Message> todo = new ArrayList<>();
    private final List<Message> passed = new ArrayList<>();
    private final Map<String, Aside> asides = new LinkedHashMap<>();
    private final Map<String, Call> inFlight = new HashMap<>();
    /** Lanes that have anything in these rows. */
    private final Map<Lane, Long> reached = new LinkedHashMap<>();

    private long upTo;

    /** @param flowing keys that are set aside until this batch is closed, and flow again with it: nothing of them waits */
    Attempt(
            Workshop shop,
            Claim claim,
            RowReader.Rows rows,
            Map<String, Suspect> suspects,
            Map<String, Parked> flowing) {
        this.options = shop.options;
        this.shop = shop;
        this.claim = claim;
        this.flowing = flowing;
        this.upTo = rows.upTo();
        for (Message message : rows.messages()) {
            if (message.position() > upTo) {
                break; // total order, and one before it failed
            }
            if (claim.concerns(message)) {
                sort(message, suspects.get(message.key()));
            }
        }
    }

    private void sort(Message message, @Nullable Suspect suspect) {
        Lane lane = claim.laneOf(message);
        String key = message.key();
        @Nullable Call running = runningCall(key);
        if ((lane.parked.containsKey(key) && !flowing.containsKey(key)) || asides.containsKey(key)) {
            passed.add(message);
        } else if (message.unreadable() != null) {
            setAside(List.of(message), new Suspect(message.position(), Verdict.PARK, message.unreadable()));
        } else if (suspect != null && message.position() >= suspect.position()) {
            setAside(List.of(message), suspect);
        } else if (shop.slowKeys.contains(key)) {
            asides.put(key, Aside.slow(lane, key));
            passed.add(message);
        } else if (running != null) {
            setAside(List.of(message), running);
        } else {
            todo.add(message);
        }
    }

    /** That was begun before this batch, perhaps in another tenure. A relay's lines wait for it. */
    private @Nullable Call runningCall(String key) {
        return options.handling().publisher() != null ? null : shop.calls.of(key);
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
        return todo.isEmpty() && passed.isEmpty() && flowing.isEmpty();
    }

    boolean isAside(String key) {
        return asides.containsKey(key);
    }

    /** A call that was slow, and has not been waited for. */
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
        if (options.isTotal()) {
            endAt(unit.get(unit.size() - 1).position());
        }
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

    /** What is not recorded now is read again; a call of it that has not ended is waited for then. */
    void cutBefore(Collection<List<Message>> unhandled) {
        long first = Long.MAX_VALUE;
        for (List<Message> unit : unhandled) {
            for (Message message : unit) {
                first = Math.min(first, message.position());
            }
        }
        endAt(first - 1);
        Set<String> recorded = new HashSet<>();
        passed.forEach(message -> recorded.add(message.key()));
        asides.keySet().retainAll(recorded);
        inFlight.keySet().retainAll(recorded);
    }

    /** The lanes whose checkpoint is to be moved, and where to. */
    Map<Lane, Long> closing() {
        Set<Lane> concerned = new HashSet<>();
        todo.forEach(message -> concerned.add(claim.laneOf(message)));
        passed.forEach(message -> concerned.add(claim.laneOf(message)));
        flowing.values().forEach(key -> concerned.add(key.lane));
        reached.clear();
        for (Lane lane : claim.lanes()) {
            if (concerned.contains(lane)) {
                reached.put(lane, claim.reached(lane, upTo));
            }
        }
        return reached;
    }
}
