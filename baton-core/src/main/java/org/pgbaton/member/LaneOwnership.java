package org.pgbaton.member;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.checkpoint.CheckpointRow;
import org.pgbaton.checkpoint.StoredSubscription;
import org.pgbaton.checkpoint.SubscriptionStore;
import org.pgbaton.database.BatonException;
import org.pgbaton.handling.FailureVerdicts;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.hub.Hub;
import org.pgbaton.hub.Sight;
import org.pgbaton.lane.CheckpointId;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.LaneOwner;
import org.pgbaton.lane.LaneSession;
import org.pgbaton.lane.Tenure;
import org.pgbaton.session.BackgroundTasks;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.LogFields;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.work.WorkContext;
import org.slf4j.Logger;

/**
 * Which lanes a member owns. It asks for its fair share of them, opens those that it took, gives surplus back between two batches, and
 * drops what it has lost. Without locks, in {@link InstanceMode#SINGLE}, it takes every lane by its epoch, and takes again what is still in
 * its name.
 *
 * <pre>
 *   asked for ── took ──► coming ── parked keys and feed known ──► owned ── dropped ──► released, or retaken
 * </pre>
 *
 * <p>Guarded by the {@link MemberState}: its lanes, which come and go only here, and what is asked for and coming.
 * The session's thread tells what it took; reading, opening and closing happen in the background.
 */
final class LaneOwnership {
    private static final Logger log = LineLogger.of(LaneOwnership.class);
    private static final Duration AGAIN = Duration.ofMillis(200);

    private final LaneOwner owner;
    private final WorkContext work;
    private final SubscriptionOptions options;
    private final MemberState state;
    private final SubscriptionStore store;
    private final LaneSession session;
    private final Hub hub;
    private final BackgroundTasks background;
    private final MemberDirectory directory;
    private final Map<CheckpointId, CheckpointRow> checkpoints;
    private final LaneOpening opening;

    /** Taken, but not yet among our lanes. */
    @GuardedBy("state")
    private final Set<CheckpointId> coming = new HashSet<>();

    /** Under which others see us; 0 if they do not. */
    @GuardedBy("state")
    private int number;

    /** How many lanes we should own, as far as we know; -1 if we do not. */
    @GuardedBy("state")
    private int share = -1;

    @GuardedBy("state")
    private boolean asking;

    @GuardedBy("state")
    private long askAgainAt;

    /** @param owner whom the session tells what it took */
    LaneOwnership(LaneOwner owner, MemberServices services, WorkContext work, MemberState state) {
        this.owner = owner;
        this.work = work;
        this.options = work.options();
        this.state = state;
        this.store = services.store();
        this.session = services.session();
        this.hub = services.hub();
        this.background = services.background();
        this.directory = services.directory();
        this.checkpoints = services.checkpoints();
        this.opening = new LaneOpening(work, store);
        this.askAgainAt = work.now();
    }

    // ---- asking

    void joined(int ours) {
        synchronized (state) {
            number = ours;
            asking = false;
        }
        hub.stir();
    }

    void rebalance(Sight seen) {
        synchronized (state) {
            if (number == 0 || state.closing || options.mode() == InstanceMode.SINGLE) {
                return;
            }
            Set<Integer> alive = directory.aliveIn(owner.subscription(), seen.members());
            alive.add(number);
            share = FairShare.of(checkpoints.size(), alive, number);
            List<Lane> staying = state.lanes.values().stream()
                    .filter(lane -> !lane.isLeaving() && !lane.isSurplus())
                    .toList();
            if (staying.size() < share) {
                Balance.kept(state.lanes.values(), share - staying.size()).forEach(Lane::keep);
            }
            if (staying.size() > share) {
                Balance.surplus(staying, share).forEach(lane -> lane.setSurplus(work.now()));
                work.counters().addRebalance();
            } else if (staying.size() < share && !asking && state.wantsLanes() && work.now() - askAgainAt >= 0) {
                ask(seen, share - state.lanes.size() - coming.size(), alive);
            }
        }
    }

    @GuardedBy("state")
    private void ask(Sight seen, int wanted, Set<Integer> alive) {
        List<CheckpointId> free = new ArrayList<>(checkpoints.keySet());
        free.removeAll(state.lanes.keySet());
        free.removeAll(coming);
        free.removeIf(each -> seen.owned().contains(each.number()));
        if (free.isEmpty() || wanted <= 0) {
            return;
        }
        Balance.beginElsewhere(free, alive, number);
        asking = true;
        session.take(owner, free.subList(0, Math.min(wanted, free.size())));
    }

    /** How many lanes should be ours; -1 while nobody knows. */
    int share() {
        synchronized (state) {
            return share;
        }
    }

    // ---- taking

    void took(Tenure tenure) {
        synchronized (state) {
            coming.add(tenure.checkpoint());
        }
        background.execute(() -> own(tenure));
    }

    private void own(Tenure tenure) {
        CheckpointRow row = checkpoints.get(tenure.checkpoint());
        if (row == null) {
            return;
        }
        Lane lane = opening.lane(row, tenure);
        try {
            opening.open(lane);
        } catch (Throwable trouble) {
            notOpened(lane, trouble);
            return;
        }
        synchronized (state) {
            coming.remove(tenure.checkpoint());
            if (!tenure.isTrusted() || state.closing) {
                background.execute(lane::closeFeed);
                session.release(owner, List.of(tenure));
                return;
            }
            state.lanes.put(tenure.checkpoint(), lane);
            work.counters().addRebalance();
        }
        log.debug(
                "{}: owns lane {} under epoch {} from position {}",
                options,
                lane.group(),
                tenure.epoch(),
                lane.stored());
        hub.stir(); // how far it may be read
    }

    private void notOpened(Lane lane, Throwable trouble) {
        log.warn("{}: lane {} is given back: {}", options, LogFields.of("lane", lane.group()), trouble.getMessage());
        lane.closeFeed();
        Duration pause;
        synchronized (state) {
            state.trouble = trouble.getMessage();
            coming.remove(lane.checkpoint());
            long now = work.now();
            // Several lanes meet the same outage; that is no reason to pause for longer.
            if (now - askAgainAt >= 0) {
                askAgainAt = now + state.outagePause.next().toNanos();
            }
            pause = Duration.ofNanos(askAgainAt - now);
        }
        giveBack(lane, pause);
        if (isRefusal(trouble)) {
            stop(refusal(trouble));
        }
    }

    /** The lane could not be opened. A member that owns by the epoch alone cannot give it back, and tries again. */
    private void giveBack(Lane lane, Duration pause) {
        if (options.mode() == InstanceMode.SINGLE) {
            background.later(() -> retakeOrEnd(List.of(lane)), pause);
        } else {
            session.release(owner, List.of(lane.tenure()));
        }
    }

    /** Trying again does not help; somebody has to change something. */
    private static boolean isRefusal(Throwable trouble) {
        return trouble instanceof LinkageError
                || (trouble instanceof HandlerException theirs && theirs.verdict() == Verdict.STOP);
    }

    private static String refusal(Throwable trouble) {
        return trouble instanceof LinkageError
                ? "a class or method is missing (" + trouble
                        + "): look which versions of the publisher's libraries are on the class path"
                : FailureVerdicts.describe(trouble);
    }

    /** Stops the subscription in all processes, until somebody resumes it. */
    void stop(String why) {
        synchronized (state) {
            if (state.status == SubscriptionState.STOPPED || !state.end(SubscriptionState.STOPPED, why)) {
                return; // several lanes meet the same
            }
        }
        log.error("{} stops: {}", options, why);
        try {
            store.stop(owner.subscription(), why);
        } catch (BatonException trouble) {
            log.warn("{} stopped here, but the others could not be told: {}", options, trouble.getMessage());
        }
    }

    void takeFinished() {
        synchronized (state) {
            asking = false;
        }
        hub.stir();
    }

    /** No locks: every lane at once, by its epoch. */
    void takeAll() {
        checkpoints.keySet().forEach(this::take);
    }

    private void take(CheckpointId checkpoint) {
        Optional<Tenure> tenure = store.take(checkpoint);
        while (tenure.isEmpty()) {
            tenure = store.take(checkpoint);
        }
        if (tenure.get().epoch() < 0) {
            throw new SubscriptionException("The " + options + " has just been deleted.");
        }
        own(tenure.get());
    }

    // ---- giving back

    /**
     * A lane whose calls have not ended goes on until they have, but not for ever: another member waits for it.
     */
    void releaseLeaving() {
        synchronized (state) {
            long patience = options.limit().plus(HandlerWatch.GRACE).toNanos();
            for (Lane lane : state.lanes.values()) {
                if (lane.isSurplus() && work.now() - lane.surplusSince() > patience) {
                    lane.leave();
                }
            }
            dropAndRelease(state.lanes.values().stream()
                    .filter(lane -> (lane.isLeaving() || lane.isSurplus()) && !lane.isBusy() && !lane.isCalling())
                    .toList());
        }
    }

    /** A lane that is not among ours any more is not released: there may be a later tenure of it. */
    void dropAndRelease(List<Lane> leaving) {
        synchronized (state) {
            List<Lane> dropped = new ArrayList<>();
            for (Lane lane : leaving) {
                if (drop(lane)) {
                    dropped.add(lane);
                }
            }
            if (!dropped.isEmpty()) {
                release(dropped);
            }
        }
    }

    @GuardedBy("state")
    private boolean drop(Lane lane) {
        abandon(lane);
        if (!state.lanes.remove(lane.checkpoint(), lane)) {
            return false;
        }
        state.suspects
                .keySet()
                .removeIf(key -> options.groups().of(options.log().laneOf(key)).equals(lane.group()));
        return true;
    }

    /** A member that owns by the epoch alone holds no locks, and has nothing to give back. */
    @GuardedBy("state")
    private void release(List<Lane> dropped) {
        if (state.closing) {
            return;
        }
        if (options.mode() == InstanceMode.SINGLE) {
            background.execute(() -> retakeOrEnd(dropped));
        } else {
            session.release(owner, dropped.stream().map(lane -> lane.tenure()).toList());
            hub.stir();
        }
    }

    /**
     * Without locks: a lane that was rewound, or that we gave up, still has our name and is taken again. Another name means another owner.
     */
    private void retakeOrEnd(List<Lane> dropped) {
        StoredSubscription stored = stored(List.of());
        for (Lane lane : dropped) {
            CheckpointRow row = stored.checkpoints().get(lane.checkpoint());
            if (row == null || !store.isOurs(row)) {
                ended("another instance took over");
                return;
            }
        }
        List<Lane> left = new ArrayList<>(dropped);
        try {
            while (!left.isEmpty() && !work.calls().isStopping()) {
                take(left.get(0).checkpoint());
                left.remove(0);
            }
        } catch (BatonException trouble) {
            if (FailureVerdicts.byDefault(trouble) == Verdict.OUTAGE) {
                background.later(() -> retakeOrEnd(left), AGAIN);
            } else {
                ended("a lane could not be taken again: " + trouble.getMessage());
            }
        }
    }

    /**
     * What is stored of the subscription, and of these lanes' parked keys. Nothing, if it cannot be read: then the lanes are given back,
     * and taken again later. Without locks there is nothing to give back: it is read until it can be.
     */
    StoredSubscription stored(List<Lane> withParkedKeys) {
        List<CheckpointId> owned = withParkedKeys.stream().map(Lane::checkpoint).toList();
        while (true) {
            try {
                return store.read(owner.subscription(), owned);
            } catch (BatonException trouble) {
                log.debug("{}: what is stored cannot be read", options, trouble);
                if (options.mode() != InstanceMode.SINGLE || work.calls().isStopping()) {
                    return StoredSubscription.UNKNOWN;
                }
            }
            LockSupport.parkNanos(AGAIN.toNanos());
        }
    }

    // ---- losing

    void ended(String why) {
        log.warn("{} ends here: {}", options, why);
        state.end(SubscriptionState.FENCED, why);
    }

    void lost() {
        synchronized (state) {
            abandonAll();
            coming.clear();
            state.suspects.clear();
            number = 0;
            asking = false;
        }
    }

    void abandonAll() {
        synchronized (state) {
            state.lanes.values().forEach(this::abandon);
            state.lanes.clear();
        }
    }

    private void abandon(Lane lane) {
        lane.lose();
        if (lane.hasFeed()) {
            background.execute(lane::closeFeed);
        }
    }
}
