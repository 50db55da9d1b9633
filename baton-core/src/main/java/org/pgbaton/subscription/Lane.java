package org.pgbaton.subscription;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.hub.Sight;
import org.pgbaton.member.Tenure;

/**
 * A lane that this member owns. Guarded by its member's board, except what a claim needs: while {@link #busy}, positions and which keys are
 * parked change only by whoever claimed it.
 *
 * <p>Keys that are set aside are kept in order of when they are due; nobody looks at all of them.
 */
final class Lane {
    /** Clocks do not run alike: what is stored is due earlier only if it is by so much, in nanoseconds. */
    private static final long HEARD = 20_000_000;

    private static final int SOME = 1000;

    private static final Comparator<Parked> BY_DUE =
            (a, b) -> a.dueAt != b.dueAt ? Long.compare(a.dueAt - b.dueAt, 0) : Long.compare(a.order, b.order);

    final int number;
    final Tenure tenure;
    /** Where the checkpoint's row is. */
    long stored;
    /** How far we have read; ahead of the row only over messages that do not concern us. */
    volatile long reached;

    long frontier;
    boolean busy;
    /** To be given back as soon as nobody is at it; nothing is begun for it any more. */
    volatile boolean leaving;
    /**
     * More than our share: to be given back as soon as nobody is at it. Until then keys that flow go on, and nothing is begun for those that
     * are set aside.
     */
    volatile boolean surplus;

    long surplusSince;
    /** Something went wrong, and what is stored could not be read: nothing is begun for it until it is known. */
    boolean unsure;
    /** Calls of the handler that were begun in this tenure, have not ended, and are not given up. */
    final AtomicInteger calls = new AtomicInteger();
    /** How many of its keys are drained right now. */
    int draining;

    /** A handler got stuck with messages of several keys: from now on one key at a time. */
    boolean careful;
    /** Not ours any more; whoever still works for it finds out by the fence. */
    volatile boolean gone;

    long servedAt;
    /** The keys that are set aside: all of them; of these, those that wait, those that flow again soon, those whose target was away. */
    final Map<String, Parked> parked = new HashMap<>();

    private final TreeSet<Parked> waiting = new TreeSet<>(BY_DUE);
    final Map<String, Parked> recovered = new LinkedHashMap<>();
    private final Set<Parked> away = new HashSet<>();
    private int forGood;
    private long numbered;

    /** Published, beyond {@link #reached}: something before them was not. */
    final Set<Long> confirmed = ConcurrentHashMap.newKeySet();

    /** Its way to a target with transactions; and what of it is recorded there, up to which position. */
    private @Nullable LaneFeed feed;

    long published;

    /** On the monotonic clock; what was seen of the log before counts for another history, perhaps. */
    final long takenAt;

    Lane(int number, Tenure tenure, long takenAt) {
        this.takenAt = takenAt;
        this.number = number;
        this.tenure = tenure;
        this.stored = tenure.position();
        this.reached = tenure.position();
    }

    int checkpoint() {
        return tenure.checkpoint();
    }

    /** How far it may be read. A look counts only if it was begun in the tenure, and in the same history. */
    void see(Sight seen, Options options) {
        if (seen.startedAt() - takenAt > 0 && seen.timeline().equals(tenure.timeline())) {
            frontier = Math.max(frontier, options.frontier(seen, number));
        }
    }

    // ---- keys that are set aside

    /** Whether one of its calls has not ended, or one of its keys is being drained. */
    boolean isCalling() {
        return draining > 0 || calls.get() > 0;
    }

    /** Whether something may be begun for keys that are set aside. */
    boolean mayDrain() {
        return !gone && !leaving && !surplus && !unsure && tenure.isTrusted();
    }

    Parked setAside(String key, boolean isForGood, int attempts, long dueAt) {
        forget(key);
        Parked added = new Parked(this, key, isForGood, attempts, dueAt, numbered++);
        forGood += isForGood ? 1 : 0;
        parked.put(key, added);
        enqueue(added);
        return added;
    }

    /** It flows again. */
    void forget(String key) {
        Parked known = parked.remove(key);
        if (known != null) {
            dequeue(known);
            recovered.remove(key);
            away.remove(known);
            forGood -= known.parked ? 1 : 0;
        }
    }

    /** From now on it waits until then; unless it waits for an operator, or somebody is at it. */
    void schedule(Parked key, long dueAt) {
        dequeue(key);
        key.dueAt = dueAt;
        if (key.recovered) {
            key.recovered = false;
            recovered.remove(key.key);
        }
        enqueue(key);
    }

    private void enqueue(Parked key) {
        if (!key.parked && !key.draining) {
            key.queued = true;
            waiting.add(key);
        }
    }

    private void dequeue(Parked key) {
        if (key.queued) {
            waiting.remove(key);
            key.queued = false;
        }
    }

    /** The one that is due first, whenever that is; null if none waits. */
    @Nullable
    Parked nextDue() {
        return waiting.isEmpty() ? null : waiting.first();
    }

    int waiting() {
        return waiting.size();
    }

    void beginDraining(Parked key) {
        dequeue(key);
        key.draining = true;
        draining++;
    }

    /** Whoever calls this says what comes next for the key. */
    void endDraining(Parked key) {
        if (key.draining) {
            key.draining = false;
            draining--;
        }
    }

    /** Nothing of it waits any more. */
    void recover(Parked key) {
        if (parked.get(key.key) == key && !key.parked) {
            dequeue(key);
            key.recovered = true;
            recovered.put(key.key, key);
        }
    }

    /** A message of it was passed over: it has to be drained, perhaps again. */
    void passedOver(String key, long now) {
        Parked known = parked.get(key);
        if (known != null) {
            known.passes++;
            if (known.recovered) {
                schedule(known, now);
            }
        }
    }

    void setForGood(Parked key, boolean isForGood) {
        if (parked.get(key.key) == key && key.parked != isForGood) {
            forGood += isForGood ? 1 : -1;
        }
        key.parked = isForGood;
    }

    /** @param why null if it is not, or not any more */
    void setAway(Parked key, @Nullable String why) {
        key.outage = why;
        if (why == null) {
            away.remove(key);
        } else if (parked.get(key.key) == key) {
            away.add(key);
        }
    }

    /** The target is back: some of those who wait for it need not wait any longer; the others the next time. */
    void hurryThoseAway(long now) {
        for (Parked key : away.stream().limit(SOME).toList()) {
            setAway(key, null);
            if (key.queued) {
                schedule(key, now);
            }
        }
    }

    @Nullable
    String outage() {
        return away.isEmpty() ? null : away.iterator().next().outage;
    }

    int forGood() {
        return forGood;
    }

    /** As it is stored; not of a key that somebody is at, who knows better. */
    void remember(Store.ParkedRow row, long now) {
        Parked known = parked.get(row.key());
        if (known == null) {
            setAside(row.key(), row.parked(), row.attempts(), now + row.waitNanos());
        } else if (!known.draining && known.inFlight == null) {
            setForGood(known, row.parked());
            known.attempts = row.attempts();
            schedule(known, now + row.waitNanos());
        }
    }

    /** An operator may have done something to the key; only ever to make it go on, or go on earlier. */
    void hear(Store.ParkedRow row, long now) {
        Parked known = parked.get(row.key());
        if (known == null || known.draining || known.recovered || known.inFlight != null) {
            return;
        }
        long dueAt = now + row.waitNanos();
        if (known.parked != row.parked()) {
            remember(row, now);
        } else if (!known.parked && dueAt - known.dueAt < -HEARD) {
            known.attempts = row.attempts();
            schedule(known, dueAt);
        }
    }

    /** Those of this lane, and forgets all others. What was found empty may have been passed over since. */
    void rememberOnly(List<Store.ParkedRow> rows, long now) {
        Set<String> keys = new HashSet<>();
        for (Store.ParkedRow row : rows) {
            if (row.checkpoint() == checkpoint()) {
                keys.add(row.key());
                remember(row, now);
            }
        }
        for (Parked known : List.copyOf(parked.values())) {
            known.passes++;
            if (!known.draining && !keys.contains(known.key)) {
                forget(known.key);
            }
        }
    }

    /** @throws DatabaseException unless this is the history in which the lane is ours */
    void requireHistory(String timeline) {
        if (!timeline.equals(tenure.timeline())) {
            throw new DatabaseException(Fault.FENCED, "The database has been promoted or restored since.");
        }
    }

    LaneFeed feed() {
        if (feed == null) {
            throw new IllegalStateException("lane " + number + " has no feed");
        }
        return feed;
    }

    void open(LaneFeed opened) {
        feed = opened;
    }

    /** Up to where parked messages are certainly not to come again by way of the log. */
    long drainable() {
        return feed == null ? Long.MAX_VALUE : reached;
    }

    /** May take its time. */
    void closeFeed() {
        if (feed != null) {
            feed.close();
        }
    }

    boolean hasFeed() {
        return feed != null;
    }

    /** Whether there is something to read, or a key that is to flow again. */
    boolean hasWork() {
        return reached < frontier || !recovered.isEmpty();
    }

    /** Some of those that are to flow again. */
    List<Parked> someRecovered(int most) {
        List<Parked> some = new ArrayList<>();
        for (Parked key : recovered.values()) {
            if (some.size() == most) {
                break;
            }
            some.add(key);
        }
        return some;
    }
}
