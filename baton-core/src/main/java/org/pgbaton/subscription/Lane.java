package org.pgbaton.subscription;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.hub.Sight;
import org.pgbaton.member.Tenure;

/**
 * A lane that this member owns. Guarded by its member's board, except what a claim needs: while {@link #busy}, positions and parked
 * keys change only by whoever claimed it.
 */
final class Lane {
    final int number;
    final Tenure tenure;
    /** Where the checkpoint's row is. */
    long stored;
    /** How far we have read; ahead of the row only over messages that do not concern us. */
    volatile long reached;

    long frontier;
    boolean busy;
    /** How many keys wait for a moment without a worker, to be unparked. */
    int unparking;
    /** To be given back as soon as it is not busy. */
    volatile boolean leaving;

    /** A handler got stuck with messages of several keys: from now on one key at a time. */
    boolean careful;
    /** Not ours any more; whoever still works for it finds out by the fence. */
    volatile boolean gone;

    long servedAt;
    final Map<String, Parked> parked = new HashMap<>();

    /** Published, beyond {@link #reached}: something before them was not. */
    final Set<Long> confirmed = new HashSet<>();

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

    void remember(Store.ParkedRow row, long now) {
        long dueAt = now + row.waitNanos();
        Parked known = parked.get(row.key());
        if (known == null) {
            parked.put(row.key(), new Parked(row.key(), row.parked(), row.attempts(), dueAt));
        } else if (!known.draining) {
            known.parked = row.parked();
            known.attempts = row.attempts();
            known.dueAt = dueAt;
        }
    }

    /** Those of this lane, and forgets all others. */
    void rememberOnly(List<Store.ParkedRow> rows, long now) {
        Set<String> keys = new HashSet<>();
        for (Store.ParkedRow row : rows) {
            if (row.checkpoint() == checkpoint()) {
                keys.add(row.key());
                remember(row, now);
            }
        }
        parked.values().removeIf(known -> !known.draining && !keys.contains(known.key));
    }

    boolean hasCallInFlight() {
        return parked.values().stream().anyMatch(key -> key.inFlight != null && !key.inFlight.isDone());
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

    boolean hasWork() {
        return reached < frontier;
    }
}
