package org.pgbaton.subscription;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.LineLogger;
import org.pgbaton.hub.Sight;
import org.pgbaton.member.FairShare;
import org.pgbaton.member.Part;
import org.pgbaton.member.Tenure;
import org.slf4j.Logger;

/**
 * Which lanes a member owns. It asks for its fair share of them, opens those that it took, gives surplus back between two batches, and
 * drops what it has lost. Without locks, in {@link InstanceMode#SINGLE}, it takes every lane by its epoch, and takes again what is still in
 * its name.
 *
 * <pre>
 *   asked for ── took ──► coming ── parked keys and feed known ──► on the board ── dropped ──► released, or retaken
 * </pre>
 *
 * <p>Guarded by the {@link Board}: its lanes, which come and go only here, and what is asked for and coming.
 * The session's thread tells what it took; reading, opening and closing happen on the crew's threads.
 */
final class Ownership {
    private static final Logger log = LineLogger.of(Ownership.class);
    private static final Duration AGAIN = Duration.ofMillis(200);

    private final Part part;
    private final Crew crew;
    private final Workshop shop;
    private final Options options;
    private final Board board;
    private final Map<Integer, Store.Row> checkpoints;

    // Guarded by the board.
    /** Taken, but not yet among our lanes. */
    private final Set<Integer> coming = new HashSet<>();
    /** Under which others see us; 0 if they do not. */
    private int number;

    /** How many lanes we should own, as far as we know; -1 if we do not. */
    private int share = -1;

    private boolean asking;
    private long askAgainAt;

    Ownership(Part part, Crew crew, Workshop shop, Board board, Map<Integer, Store.Row> checkpoints) {
        this.part = part;
        this.crew = crew;
        this.shop = shop;
        this.options = shop.options;
        this.board = board;
        this.checkpoints = checkpoints;
        this.askAgainAt = shop.nanos.getAsLong();
    }

    // ---- asking

    void joined(int ours) {
        synchronized (board) {
            number = ours;
            asking = false;
        }
        crew.hub().stir();
    }

    /** Under the monitor. */
    void rebalance(Sight seen) {
        if (number == 0 || board.closing || options.mode() == InstanceMode.SINGLE) {
            return;
        }
        Set<Integer> alive = crew.aliveIn(shop.subscription, seen.members());
        alive.add(number);
        share = FairShare.of(checkpoints.size(), alive, number);
        List<Lane> staying = board.lanes.values().stream()
                .filter(lane -> !lane.leaving && !lane.surplus)
                .toList();
        if (staying.size() < share) {
            Balance.kept(board.lanes.values(), share - staying.size()).forEach(lane -> lane.surplus = false);
        }
        if (staying.size() > share) {
            Balance.surplus(staying, share).forEach(this::setSurplus);
            shop.counters.rebalances.increment();
        } else if (staying.size() < share
                && !asking
                && board.wantsLanes()
                && shop.nanos.getAsLong() - askAgainAt >= 0) {
            ask(seen, share - board.lanes.size() - coming.size(), alive);
        }
    }

    private void setSurplus(Lane lane) {
        lane.surplus = true;
        lane.surplusSince = shop.nanos.getAsLong();
    }

    private void ask(Sight seen, int wanted, Set<Integer> alive) {
        List<Integer> free = new ArrayList<>(checkpoints.keySet());
        free.removeIf(checkpoint -> board.lanes.containsKey(checkpoint)
                || seen.owned().contains(checkpoint)
                || coming.contains(checkpoint));
        if (free.isEmpty() || wanted <= 0) {
            return;
        }
        Balance.beginElsewhere(free, alive, number);
        asking = true;
        crew.session().take(part, free.subList(0, Math.min(wanted, free.size())));
    }

    /** How many lanes should be ours; -1 while nobody knows. Under the monitor. */
    int share() {
        return share;
    }

    // ---- taking

    void took(Tenure tenure) {
        synchronized (board) {
            coming.add(tenure.checkpoint());
        }
        crew.execute(() -> own(tenure));
    }

    /** Its parked keys must be known before anything of the lane is handled. */
    private void own(Tenure tenure) {
        Store.Row row = checkpoints.get(tenure.checkpoint());
        if (row == null) {
            return;
        }
        Lane lane = new Lane(row.lane(), tenure, shop.nanos.getAsLong());
        try {
            crew.store()
                    .parked(List.of(tenure.checkpoint()))
                    .forEach(parked -> lane.remember(parked, shop.nanos.getAsLong()));
            openFeed(lane);
        } catch (Throwable trouble) {
            log.warn("{}: lane {} is given back: {}", options, row.lane(), trouble.getMessage());
            lane.closeFeed();
            Duration pause;
            synchronized (board) {
                board.trouble = trouble.getMessage();
                coming.remove(tenure.checkpoint());
                long now = shop.nanos.getAsLong();
                // Several lanes meet the same outage; that is no reason to pause for longer.
                if (now - askAgainAt >= 0) {
                    askAgainAt = now + board.outagePause.next().toNanos();
                }
                pause = Duration.ofNanos(askAgainAt - now);
            }
            giveBack(lane, pause);
            if (isRefusal(trouble)) {
                stop(refusal(trouble));
            }
            return;
        }
        synchronized (board) {
            coming.remove(tenure.checkpoint());
            if (!tenure.isTrusted() || board.closing) {
                crew.execute(lane::closeFeed);
                crew.session().release(part, List.of(tenure));
                return;
            }
            board.lanes.put(tenure.checkpoint(), lane);
            shop.counters.rebalances.increment();
        }
        log.debug(
                "{}: owns lane {} under epoch {} from position {}", options, lane.number, tenure.epoch(), lane.stored);
        crew.hub().stir(); // how far it may be read
    }

    /** It was not opened. Who owns by the epoch alone has nobody to give it back to, and tries again. */
    private void giveBack(Lane lane, Duration pause) {
        if (options.mode() == InstanceMode.SINGLE) {
            crew.later(() -> retakeOrEnd(List.of(lane)), pause);
        } else {
            crew.session().release(part, List.of(lane.tenure));
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
                : Workshop.describe(trouble);
    }

    /** For good and everywhere: somebody has to resume it. */
    void stop(String why) {
        synchronized (board) {
            if (board.state == SubscriptionState.STOPPED || !board.end(SubscriptionState.STOPPED, why)) {
                return; // several lanes meet the same
            }
        }
        log.error("{} stops: {}", options, why);
        try {
            crew.store().stop(shop.subscription, why);
        } catch (BatonException trouble) {
            log.warn("{} stopped here, but the others could not be told: {}", options, trouble.getMessage());
        }
    }

    /**
     * Whoever had the lane before cannot publish any more; then the target tells how far he came. That the lane is still ours is asked
     * when the feed is open: whoever takes the lane later than that opens the feed later, too. Who has taken it before would otherwise be
     * shut out by us, who know nothing of the keys that he has set aside.
     */
    private void openFeed(Lane lane) throws Exception {
        TransactionalPublisher publisher = options.handling().transactional();
        if (publisher == null) {
            return;
        }
        Feed feed = publisher.open(options.feedName(), Math.max(0, lane.number));
        try {
            lane.open(new LaneFeed(feed, crew.store().generation(lane.tenure)));
        } finally {
            if (!lane.hasFeed()) {
                feed.close();
            }
        }
        new CatchUp(shop, crew.store(), lane).run();
    }

    void tookAll() {
        synchronized (board) {
            asking = false;
        }
        crew.hub().stir();
    }

    /** No locks: every lane at once, by its epoch. */
    void takeAll() {
        checkpoints.keySet().forEach(this::take);
    }

    private void take(int checkpoint) {
        Optional<Tenure> tenure = crew.store().take(checkpoint);
        while (tenure.isEmpty()) {
            tenure = crew.store().take(checkpoint);
        }
        if (tenure.get().epoch() < 0) {
            throw new SubscriptionException("The " + options + " has just been deleted.");
        }
        own(tenure.get());
    }

    // ---- giving back

    /**
     * Under the monitor. A lane whose calls have not ended goes on until they have; but if more and more of them are slow, somebody who waits
     * for it shall not wait for ever.
     */
    void releaseLeaving() {
        long patience = options.limit().plus(Workshop.GRACE).toNanos();
        for (Lane lane : board.lanes.values()) {
            lane.leaving |= lane.surplus && shop.nanos.getAsLong() - lane.surplusSince > patience;
        }
        dropAndRelease(board.lanes.values().stream()
                .filter(lane -> (lane.leaving || lane.surplus) && !lane.busy && !lane.isCalling())
                .toList());
    }

    /** Under the monitor. Not those that were not ours any more: perhaps there is a later tenure of the same lane. */
    void dropAndRelease(List<Lane> leaving) {
        List<Lane> dropped = new ArrayList<>(leaving);
        dropped.removeIf(lane -> !drop(lane));
        if (!dropped.isEmpty()) {
            release(dropped);
        }
    }

    private boolean drop(Lane lane) {
        abandon(lane);
        if (!board.lanes.remove(lane.checkpoint(), lane)) {
            return false;
        }
        board.suspects.keySet().removeIf(key -> options.partOf(options.log().laneOf(key)) == lane.number);
        return true;
    }

    /** Who owns by the epoch alone has nothing to give back. */
    private void release(List<Lane> dropped) {
        if (board.closing) {
            return;
        }
        if (options.mode() == InstanceMode.SINGLE) {
            crew.execute(() -> retakeOrEnd(dropped));
        } else {
            crew.session()
                    .release(part, dropped.stream().map(lane -> lane.tenure).toList());
            crew.hub().stir();
        }
    }

    /** Without locks: rewound, or given up by ourselves, it is still in our name. In another's name it is another's. */
    private void retakeOrEnd(List<Lane> dropped) {
        Store.Everything stored = stored(List.of());
        for (Lane lane : dropped) {
            Store.Row row = stored.checkpoints().get(lane.checkpoint());
            if (row == null || !crew.store().isOurs(row)) {
                ended("another instance took over");
                return;
            }
        }
        List<Lane> left = new ArrayList<>(dropped);
        try {
            while (!left.isEmpty() && !shop.stopping) {
                take(left.get(0).checkpoint());
                left.remove(0);
            }
        } catch (BatonException trouble) {
            if (Verdicts.byDefault(trouble) == Verdict.OUTAGE) {
                crew.later(() -> retakeOrEnd(left), AGAIN);
            } else {
                ended("a lane could not be taken again: " + trouble.getMessage());
            }
        }
    }

    /**
     * What is stored of the subscription, and of these lanes' parked keys. Nothing, if it cannot be read: then the lanes are given back,
     * and taken again later. Without locks there is nothing to give back: it is read until it can be.
     */
    Store.Everything stored(List<Lane> withParkedKeys) {
        List<Integer> owned = withParkedKeys.stream().map(Lane::checkpoint).toList();
        while (true) {
            try {
                return crew.store().everything(shop.subscription, owned);
            } catch (BatonException trouble) {
                log.debug("{}: what is stored cannot be read", options, trouble);
                if (options.mode() != InstanceMode.SINGLE || shop.stopping) {
                    return Store.Everything.NOTHING;
                }
            }
            LockSupport.parkNanos(AGAIN.toNanos());
        }
    }

    // ---- losing

    void ended(String why) {
        log.warn("{} ends here: {}", options, why);
        board.end(SubscriptionState.FENCED, why);
    }

    void lost() {
        synchronized (board) {
            abandonAll();
            coming.clear();
            board.suspects.clear();
            number = 0;
            asking = false;
        }
    }

    /** Under the monitor. */
    void abandonAll() {
        board.lanes.values().forEach(this::abandon);
        board.lanes.clear();
    }

    private void abandon(Lane lane) {
        lane.gone = true;
        if (lane.hasFeed()) {
            crew.execute(lane::closeFeed);
        }
    }
}
