package org.pgbaton.batch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.Call;
import org.pgbaton.handling.HandlerCalls;
import org.pgbaton.handling.SlowKeys;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.Suspect;
import org.pgbaton.lane.AsideEntry;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.Lane;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.table.StoredMessage;
import org.pgbaton.work.RowReader;

/**
 * One attempt at the rows of a batch: some are handled, some passed over because their key is set aside. Another attempt
 * at the same rows begins anew. Belongs to one thread.
 */
public final class BatchAttempt {
    private final SubscriptionOptions options;
    private final Claim claim;
    private final HandlerCalls calls;
    private final SlowKeys slowKeys;
    private final Map<String, AsideKey> flowing;
    private final List<Message> todo = new ArrayList<>();
    private final List<Message> passed = new ArrayList<>();
    private final Map<String, AsideEntry> asides = new LinkedHashMap<>();
    private final Map<String, Call> running = new HashMap<>();
    /** Lanes that have anything in these rows. */
    private final Map<Lane, Long> reached = new LinkedHashMap<>();

    private long upTo;

    /** @param flowing keys that are set aside until this batch is closed, and flow again with it: nothing of them waits */
    public BatchAttempt(
            SubscriptionOptions options,
            HandlerCalls calls,
            SlowKeys slowKeys,
            Claim claim,
            RowReader.Rows rows,
            Map<String, Suspect> suspects,
            Map<String, AsideKey> flowing) {
        this.options = options;
        this.calls = calls;
        this.slowKeys = slowKeys;
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
        @Nullable Call earlier = earlierCall(key);
        @Nullable String excuse = StoredMessage.excuseOf(message);
        if ((lane.asideKeys().contains(key) && !flowing.containsKey(key)) || asides.containsKey(key)) {
            passed.add(message);
        } else if (excuse != null) {
            setAside(List.of(message), new Suspect(message.position(), Verdict.PARK, excuse));
        } else if (suspect != null && message.position() >= suspect.position()) {
            setAside(List.of(message), suspect);
        } else if (slowKeys.contains(key)) {
            asides.put(key, AsideEntry.slow(lane, key));
            passed.add(message);
        } else if (earlier != null) {
            setAside(List.of(message), earlier);
        } else {
            todo.add(message);
        }
    }

    /** A call of the key that was begun before this batch, perhaps in another tenure. Not for a relay, whose lines wait for it. */
    private @Nullable Call earlierCall(String key) {
        return options.handling().publisher() != null ? null : calls.of(key);
    }

    /** The messages to handle, before and after they are handled. */
    public List<Message> todo() {
        return todo;
    }

    public List<Message> passed() {
        return passed;
    }

    public Map<String, AsideEntry> asides() {
        return asides;
    }

    /** Everything up to here has been dealt with. */
    public long upTo() {
        return upTo;
    }

    public boolean isEmpty() {
        return todo.isEmpty() && passed.isEmpty() && flowing.isEmpty();
    }

    public boolean isAside(String key) {
        return asides.containsKey(key);
    }

    /** A call that was slow, and has not been waited for. */
    @Nullable
    public Call running(String key) {
        return running.get(key);
    }

    public void setAside(List<Message> unit, Suspect why) {
        Message first = unit.get(0);
        asides.put(first.key(), AsideEntry.failed(claim.laneOf(first), first.key(), why, options));
        pass(unit);
        if (options.isTotal()) {
            endAt(unit.get(unit.size() - 1).position());
        }
    }

    /** The call goes on; whoever drains the key will wait for it. */
    public void setAside(List<Message> unit, Call slow) {
        Message first = unit.get(0);
        running.put(first.key(), slow);
        asides.put(first.key(), AsideEntry.slow(claim.laneOf(first), first.key()));
        pass(unit);
        if (options.isTotal()) {
            endAt(unit.get(unit.size() - 1).position());
        }
    }

    public void pass(List<Message> unit) {
        passed.addAll(unit);
        todo.removeAll(unit);
    }

    private void endAt(long position) {
        upTo = Math.min(upTo, position);
        todo.removeIf(message -> message.position() > upTo);
        passed.removeIf(message -> message.position() > upTo);
    }

    /** Messages from there on are read again. A call of one of them that has not ended is waited for then. */
    public void cutBefore(Collection<List<Message>> unhandled) {
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
        running.keySet().retainAll(recorded);
    }

    /** The lanes whose checkpoint is to be moved, and where to. */
    public Map<Lane, Long> closing() {
        Set<Lane> concerned = new HashSet<>();
        todo.forEach(message -> concerned.add(claim.laneOf(message)));
        passed.forEach(message -> concerned.add(claim.laneOf(message)));
        flowing.values().forEach(key -> concerned.add(key.lane()));
        reached.clear();
        for (Lane lane : claim.lanes()) {
            if (concerned.contains(lane)) {
                reached.put(lane, claim.reached(lane, upTo));
            }
        }
        return reached;
    }

    /** The last message of all: everything up to it is handled, or passed over. */
    public Message last() {
        Message last = todo.isEmpty() ? passed.get(0) : todo.get(0);
        for (Message message : todo) {
            last = message.position() > last.position() ? message : last;
        }
        for (Message message : passed) {
            last = message.position() > last.position() ? message : last;
        }
        return last;
    }
}
