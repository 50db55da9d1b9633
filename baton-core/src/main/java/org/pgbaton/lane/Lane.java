package org.pgbaton.lane;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.handling.CallOwner;
import org.pgbaton.handling.LaneGroup;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.hub.Sight;
import org.pgbaton.subscription.Delivery;

/**
 * A lane that this member owns, from taking it until it is given back or lost. Guarded by its member's state, except what a claim needs:
 * while the lane is {@linkplain #isBusy busy}, positions, and which keys are set aside, are changed only by the worker that claimed it.
 */
public final class Lane implements CallOwner {
    private final LaneGroup group;
    private final Tenure tenure;
    /** On the monotonic clock. What was seen of the log before may belong to another history. */
    private final long takenAt;

    private final AsideKeys asideKeys = new AsideKeys(this);
    private final AtomicInteger calls = new AtomicInteger();
    /** Positions that are published, beyond {@link #reached}: something before them was not. */
    private final Set<Long> confirmed = ConcurrentHashMap.newKeySet();

    private long stored;
    private volatile long reached;
    private long frontier;
    private long published;
    private long servedAt;
    private @Nullable LaneFeed feed;

    private boolean busy;
    private boolean unsure;
    private boolean careful;
    private volatile boolean leaving;
    private volatile boolean surplus;
    private volatile boolean gone;
    private long surplusSince;

    public Lane(LaneGroup group, Tenure tenure, long takenAt) {
        this.group = group;
        this.tenure = tenure;
        this.takenAt = takenAt;
        this.stored = tenure.position();
        this.reached = tenure.position();
    }

    public LaneGroup group() {
        return group;
    }

    public Tenure tenure() {
        return tenure;
    }

    public CheckpointId checkpoint() {
        return tenure.checkpoint();
    }

    public AsideKeys asideKeys() {
        return asideKeys;
    }

    // ---- positions

    /** Where the checkpoint's row is. */
    public long stored() {
        return stored;
    }

    public void setStored(long position) {
        stored = position;
    }

    /** How far it has been read; ahead of the row only over messages that do not concern the subscription. */
    public long reached() {
        return reached;
    }

    public void setReached(long position) {
        reached = position;
    }

    /** How far it may be read. */
    public long frontier() {
        return frontier;
    }

    public void setFrontier(long position) {
        frontier = position;
    }

    /** Takes over how far it may be read. A look counts only if it was begun in the tenure, and in the same history. */
    public void see(Sight seen, SubscriptionOptions options) {
        if (seen.startedAt() - takenAt > 0 && seen.timeline().equals(tenure.timeline())) {
            frontier = Math.max(frontier, options.groups().frontier(seen, group));
        }
    }

    /** Whether there is something to read, or a key that is to flow again. */
    public boolean hasWork() {
        return reached < frontier || asideKeys.hasRecovered();
    }

    /** The position up to which a target with transactions has everything. */
    public long published() {
        return published;
    }

    public void setPublished(long position) {
        published = position;
    }

    /** A message that had its effect outside while its checkpoint did not move: it is not handled again. */
    public void confirm(long position) {
        confirmed.add(position);
    }

    public boolean isConfirmed(long position) {
        return confirmed.contains(position);
    }

    /** Reading went on up to this position. */
    public void advance(long position) {
        reached = position;
        confirmed.removeIf(each -> each <= position);
    }

    // ---- who is at it

    /** Whether somebody has claimed it. */
    public boolean isBusy() {
        return busy;
    }

    public void setBusy(boolean isBusy) {
        busy = isBusy;
    }

    /** The turn in which it was claimed the last time. */
    public long servedAt() {
        return servedAt;
    }

    public void claimed(long turn) {
        busy = true;
        servedAt = turn;
    }

    @Override
    public void callBegan() {
        calls.incrementAndGet();
    }

    @Override
    public void callEnded() {
        calls.decrementAndGet();
    }

    /** Whether one of its calls has not ended, or one of its keys is being drained. */
    public boolean isCalling() {
        return asideKeys.isDraining() || calls.get() > 0;
    }

    @Override
    public Delivery delivery(SubscriptionOptions options, int attempt) {
        return new Delivery(
                options.name(), options.target(), tenure.epoch(), attempt, () -> !gone && tenure.isTrusted());
    }

    /** A handler got stuck with messages of several keys: from now on one key at a time. */
    public void beCareful() {
        careful = true;
    }

    public boolean isCareful() {
        return careful;
    }

    // ---- leaving

    /** It is given back as soon as nobody is at it; nothing is begun for it any more. */
    public void leave() {
        leaving = true;
    }

    public boolean isLeaving() {
        return leaving;
    }

    /**
     * It is more than this member's share, and given back as soon as nobody is at it. Until then keys that flow go on, and nothing is begun
     * for those that are set aside.
     */
    public void setSurplus(long since) {
        surplus = true;
        surplusSince = since;
    }

    public void keep() {
        surplus = false;
    }

    public boolean isSurplus() {
        return surplus;
    }

    public long surplusSince() {
        return surplusSince;
    }

    /** Something went wrong, and what is stored could not be read: nothing is begun for it until it is known. */
    public void setUnsure(boolean isUnsure) {
        unsure = isUnsure;
    }

    public boolean isUnsure() {
        return unsure;
    }

    /** It is not ours any more. A worker that is still at it finds out by the fence. */
    public void lose() {
        gone = true;
    }

    public boolean isGone() {
        return gone;
    }

    /** Whether it is ours for certain, as far as can be known here. */
    public boolean isOurs() {
        return !gone && tenure.isTrusted();
    }

    /** Whether something may be begun for keys that are set aside. */
    public boolean mayDrain() {
        return isOurs() && !leaving && !surplus && !unsure;
    }

    /** Whether a drain that has begun may go on. */
    public boolean mayGoOnDraining() {
        return isOurs() && !leaving && !surplus;
    }

    /** @throws DatabaseException unless this is the history in which the lane is ours */
    public void requireHistory(String timeline) {
        if (!timeline.equals(tenure.timeline())) {
            throw new DatabaseException(Fault.FENCED, "The database has been promoted or restored since.");
        }
    }

    // ---- the way to a target with transactions

    public LaneFeed feed() {
        if (feed == null) {
            throw new IllegalStateException("lane " + group + " has no feed");
        }
        return feed;
    }

    public boolean hasFeed() {
        return feed != null;
    }

    public void open(LaneFeed opened) {
        feed = opened;
    }

    /** May take its time. */
    public void closeFeed() {
        if (feed != null) {
            feed.close();
        }
    }

    /** Up to where messages that wait are certainly not read from the log again. */
    public long drainable() {
        return feed == null ? Long.MAX_VALUE : reached;
    }
}
