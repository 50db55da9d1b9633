package org.pgbaton.lane;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one lane that are set aside, in order of when they are due, so that nobody has to look at all of them. Guarded by the
 * member's state; while the lane is claimed, only its worker adds and removes keys.
 */
public final class AsideKeys {
    /** In nanoseconds. A stored time that is earlier by less than this is the same time: clocks differ. */
    private static final long CLOCK_TOLERANCE = 20_000_000;

    private static final int MOST_HURRIED = 1000;

    private static final Comparator<AsideKey> BY_DUE = (a, b) ->
            a.dueAt() != b.dueAt() ? Long.compare(a.dueAt() - b.dueAt(), 0) : Long.compare(a.order(), b.order());

    private final Lane lane;
    private final Map<String, AsideKey> keys = new HashMap<>();
    /** Of these, those that wait until they are due; those that flow again soon; those whose target was away. */
    private final TreeSet<AsideKey> waiting = new TreeSet<>(BY_DUE);

    private final Map<String, AsideKey> recovered = new LinkedHashMap<>();
    private final Set<AsideKey> away = new HashSet<>();
    private int draining;
    private int parked;
    private long numbered;

    AsideKeys(Lane lane) {
        this.lane = lane;
    }

    public boolean contains(String key) {
        return keys.containsKey(key);
    }

    public boolean isEmpty() {
        return keys.isEmpty();
    }

    public int size() {
        return keys.size();
    }

    public Collection<String> names() {
        return keys.keySet();
    }

    /** How many wait for an operator. */
    public int parked() {
        return parked;
    }

    /** Whether messages of a key wait; false if all keys that are set aside have recovered. */
    public boolean hasWaitingMessages() {
        return keys.size() > recovered.size();
    }

    public boolean hasRecovered() {
        return !recovered.isEmpty();
    }

    boolean isDraining() {
        return draining > 0;
    }

    public AsideKey setAside(String key, boolean isParked, int attempts, long dueAt) {
        forget(key);
        AsideKey added = new AsideKey(lane, key, isParked, attempts, dueAt, numbered++);
        parked += isParked ? 1 : 0;
        keys.put(key, added);
        enqueue(added);
        return added;
    }

    /** It flows again. */
    public void forget(String key) {
        AsideKey known = keys.remove(key);
        if (known != null) {
            dequeue(known);
            recovered.remove(key);
            away.remove(known);
            parked -= known.isParked() ? 1 : 0;
        }
    }

    private boolean isCurrent(AsideKey key) {
        return keys.get(key.key()) == key;
    }

    /** The key is drained at that time; unless it waits for an operator, or somebody is at it. */
    public void schedule(AsideKey key, long dueAt) {
        dequeue(key);
        key.setDueAt(dueAt);
        if (key.isRecovered()) {
            key.setRecovered(false);
            recovered.remove(key.key());
        }
        enqueue(key);
    }

    private void enqueue(AsideKey key) {
        if (!key.isParked() && !key.isDraining()) {
            key.setQueued(true);
            waiting.add(key);
        }
    }

    private void dequeue(AsideKey key) {
        if (key.isQueued()) {
            waiting.remove(key);
            key.setQueued(false);
        }
    }

    /** The key that is due first, whenever that is; null if none waits. */
    public @Nullable AsideKey nextDue() {
        return waiting.isEmpty() ? null : waiting.first();
    }

    /** How many wait until they are due. */
    public int waiting() {
        return waiting.size();
    }

    public void beginDraining(AsideKey key) {
        dequeue(key);
        key.setDraining(true);
        draining++;
    }

    private void endDraining(AsideKey key) {
        if (key.isDraining()) {
            key.setDraining(false);
            draining--;
        }
    }

    /** The drain has ended, and the key is drained again at that time. */
    public void drainAgain(AsideKey key, long dueAt) {
        endDraining(key);
        if (isCurrent(key)) {
            schedule(key, dueAt);
        }
    }

    /** The drain has ended, and the key waits for a call; the caller schedules it. */
    public void drainLater(AsideKey key) {
        endDraining(key);
    }

    /** The drain has ended, and nothing of the key waits any more. */
    public void recover(AsideKey key) {
        endDraining(key);
        if (isCurrent(key) && !key.isParked()) {
            dequeue(key);
            key.setRecovered(true);
            recovered.put(key.key(), key);
        }
    }

    /** A message of it was passed over: it has to be drained, perhaps again. */
    public void passedOver(String key, long now) {
        AsideKey known = keys.get(key);
        if (known != null) {
            known.passedOver();
            if (known.isRecovered()) {
                schedule(known, now);
            }
        }
    }

    public void setParked(AsideKey key, boolean isParked) {
        if (isCurrent(key) && key.isParked() != isParked) {
            parked += isParked ? 1 : -1;
        }
        key.setParked(isParked);
    }

    /** @param why null if the target is not away, or not any more */
    public void setAway(AsideKey key, @Nullable String why) {
        key.setOutage(why);
        if (why == null) {
            away.remove(key);
        } else if (isCurrent(key)) {
            away.add(key);
        }
    }

    /** The target is back: some of the keys that wait for it need not wait any longer; the others the next time. */
    public void hurryThoseAway(long now) {
        for (AsideKey key : away.stream().limit(MOST_HURRIED).toList()) {
            setAway(key, null);
            if (key.isQueued()) {
                schedule(key, now);
            }
        }
    }

    /** Why the target is away; null if it is not, as far as these keys know. */
    public @Nullable String outage() {
        return away.isEmpty() ? null : away.iterator().next().outage();
    }

    /** Takes over what is stored, but not for a key that is being drained or called: its worker knows better. */
    public void remember(StoredAside row, long now) {
        AsideKey known = keys.get(row.key());
        if (known == null) {
            setAside(row.key(), row.parked(), row.attempts(), now + row.waitNanos());
        } else if (!known.isDraining() && known.running() == null) {
            setParked(known, row.parked());
            known.setAttempts(row.attempts());
            schedule(known, now + row.waitNanos());
        }
    }

    /** Takes over what an operator did to the key; that only ever makes it go on, or go on earlier. */
    public void hear(StoredAside row, long now) {
        AsideKey known = keys.get(row.key());
        if (known == null || known.isDraining() || known.isRecovered() || known.running() != null) {
            return;
        }
        long dueAt = now + row.waitNanos();
        if (known.isParked() != row.parked()) {
            remember(row, now);
        } else if (!known.isParked() && dueAt - known.dueAt() < -CLOCK_TOLERANCE) {
            known.setAttempts(row.attempts());
            schedule(known, dueAt);
        }
    }

    /** Remembers the rows of this lane, and forgets all other keys. A key that was found empty may have been passed over since. */
    public void rememberOnly(List<StoredAside> rows, long now) {
        Set<String> stored = new HashSet<>();
        for (StoredAside row : rows) {
            if (row.checkpoint().equals(lane.checkpoint())) {
                stored.add(row.key());
                remember(row, now);
            }
        }
        for (AsideKey known : List.copyOf(keys.values())) {
            known.passedOver();
            if (!known.isDraining() && !stored.contains(known.key())) {
                forget(known.key());
            }
        }
    }

    /** Some of those that flow again. */
    public List<AsideKey> someRecovered(int most) {
        List<AsideKey> some = new ArrayList<>();
        for (AsideKey key : recovered.values()) {
            if (some.size() == most) {
                break;
            }
            some.add(key);
        }
        return some;
    }
}
