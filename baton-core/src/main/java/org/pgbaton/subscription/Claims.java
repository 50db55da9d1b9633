package org.pgbaton.subscription;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.LineLogger;
import org.slf4j.Logger;

/**
 * Hands out lanes that have something to read. A worker claims some of them, works batch after batch, and gives them back; what became of
 * a batch is written down on the board: how far its lanes are, which keys it set aside, and whether something is wrong.
 *
 * <p>Guarded by the {@link Board}: who is {@linkplain Board#working working}, the suspects, and which lane is busy. A worker holds the
 * monitor only between two batches.
 */
final class Claims {
    private static final Logger log = LineLogger.of(Claims.class);

    /** Lanes further apart than so many batches are not read together. */
    private static final int IN_STEP = 20;
    /** Other lanes want their turn. */
    private static final Duration LONGEST_CLAIM = Duration.ofMillis(200);
    /** So many keys flow again with one close: it should be short. */
    private static final int FLOW_AGAIN = 500;

    private final Workshop shop;
    private final Options options;
    private final Board board;
    private final Trouble trouble;
    private final Drains drains;
    private final Runnable dispatch;

    /** Guarded by the board. */
    private long serving;

    Claims(Workshop shop, Board board, Trouble trouble, Drains drains, Runnable dispatch) {
        this.shop = shop;
        this.options = shop.options;
        this.board = board;
        this.trouble = trouble;
        this.drains = drains;
        this.dispatch = dispatch;
    }

    /** Under the monitor. */
    void handOut(List<Task> tasks) {
        for (Claim claim = claim(); claim != null; claim = claim()) {
            Claim mine = claim;
            Running running = new Running();
            board.working.put(mine, running);
            tasks.add(new Task(() -> work(mine, running), () -> board.unclaim(mine)));
        }
    }

    /** The lane that was served longest ago, and others that can be read together with it. Null if there is nothing to do. */
    private @Nullable Claim claim() {
        if (board.working.size() >= options.workers()) {
            return null;
        }
        List<Lane> ready = board.lanes.values().stream()
                .filter(lane -> !lane.busy && mayBeRead(lane) && lane.hasWork() && lane.tenure.isTrusted())
                .sorted(Comparator.comparingLong((Lane lane) -> lane.servedAt).thenComparingLong(lane -> lane.reached))
                .toList();
        if (ready.isEmpty()) {
            return null;
        }
        Lane first = ready.get(0);
        long step = (long) options.batch() * IN_STEP;
        List<Lane> inStep = ready.stream()
                .filter(lane -> Math.abs(lane.reached - first.reached) <= step)
                .toList();
        boolean little = first.frontier - first.reached <= options.batch();
        int most = first.hasFeed()
                ? 1
                : little ? inStep.size() : (board.lanes.size() + options.workers() - 1) / options.workers();
        List<Lane> claimed = inStep.subList(0, Math.min(inStep.size(), Math.max(1, most)));
        serving++;
        for (Lane lane : claimed) {
            lane.busy = true;
            lane.servedAt = serving;
        }
        return new Claim(claimed, options);
    }

    /** In total order everything waits behind a key that is set aside, until nothing of it waits any more. */
    private boolean mayBeRead(Lane lane) {
        return !lane.leaving && !lane.unsure && (!options.isTotal() || lane.parked.size() == lane.recovered.size());
    }

    /** One that is more than our share is given back as soon as none of its calls runs. */
    private boolean isWanted(Lane lane) {
        return !lane.surplus || lane.isCalling();
    }

    /** Batch after batch, as long as there is more of what was claimed and nobody else wants the lanes. */
    private void work(Claim claim, Running running) {
        long until = shop.nanos.getAsLong() + LONGEST_CLAIM.toNanos();
        RowReader.@Nullable Rows ahead = null;
        try {
            do {
                Batch batch = batch(claim, running, ahead);
                ahead = batch == null || shop.nanos.getAsLong() > until ? null : batch.ahead();
            } while (ahead != null && keeps(claim));
        } finally {
            if (!running.isGivenUp()) { // else somebody else works for these lanes now
                board.unclaim(claim);
                dispatch.run();
            }
        }
    }

    private boolean keeps(Claim claim) {
        synchronized (board) {
            return board.isOpen()
                    && claim.lanes().stream().allMatch(lane -> !lane.gone && mayBeRead(lane) && isWanted(lane));
        }
    }

    /** Keys of which nothing waits any more: only whoever claimed their lane records that something does. */
    private static Map<String, Parked> flowing(Claim claim) {
        Map<String, Parked> all = new HashMap<>();
        for (Lane lane : claim.lanes()) {
            lane.someRecovered(FLOW_AGAIN - all.size()).forEach(key -> all.put(key.key, key));
        }
        return all;
    }

    /** @return null unless it went well */
    private @Nullable Batch batch(Claim claim, Running running, RowReader.@Nullable Rows ahead) {
        long start = shop.nanos.getAsLong();
        Batch.Given given;
        synchronized (board) {
            given = new Batch.Given(Map.copyOf(board.suspects), flowing(claim), ahead);
        }
        Batch batch = Batch.of(shop, claim, running, given);
        @Nullable Throwable failure = null;
        try {
            batch.run();
            failure = batch.interruption();
        } catch (Throwable thrown) {
            failure = thrown;
        }
        boolean done = failure == null || failure == batch.interruption();
        if (running.isGivenUp()) {
            return null;
        }
        if (!done) {
            trouble.resync(claim.lanes(), true);
        }
        shop.counters.batches.increment();
        shop.counters.batchNanos.add(shop.nanos.getAsLong() - start);
        synchronized (board) {
            if (done) {
                advance(claim, batch);
            }
            boolean leaving =
                    batch.givesLanesUp() || (Verdicts.isFenced(failure) && options.mode() != InstanceMode.SINGLE);
            claim.lanes().forEach(lane -> lane.leaving |= leaving);
            if (failure == null && !batch.outcome().todo().isEmpty()) {
                shop.setProbing(false);
                board.lanes.values().forEach(lane -> lane.hurryThoseAway(shop.nanos.getAsLong()));
            }
            if (failure == null) {
                board.outagePause.reset();
                board.trouble = null;
                board.note = board.state == SubscriptionState.RUNNING ? null : board.note;
            }
        }
        if (failure != null) {
            trouble.met(failure);
            return null;
        }
        return batch;
    }

    private void advance(Claim claim, Batch batch) {
        Attempt outcome = batch.outcome();
        for (Lane lane : claim.lanes()) {
            lane.reached = claim.reached(lane, outcome.upTo());
            lane.confirmed.removeIf(position -> position <= lane.reached);
            Long stored = batch.closed().get(lane);
            if (stored != null) {
                lane.stored = stored;
            }
        }
        long now = shop.nanos.getAsLong();
        batch.flowing().values().forEach(key -> key.lane.forget(key.key));
        outcome.passed().forEach(message -> claim.laneOf(message).passedOver(message.key(), now));
        outcome.asides().values().forEach(aside -> setAside(aside, outcome.inFlight(aside.key()), now));
    }

    private void setAside(Aside aside, @Nullable Call inFlight, long now) {
        long dueAt = now + aside.waitMillis() * 1_000_000;
        Parked parked = aside.lane().setAside(aside.key(), aside.isForGood(), aside.attempts(), dueAt);
        if (inFlight != null) {
            drains.await(parked, inFlight, now);
        }
        board.suspects.remove(aside.key());
        if (aside.error() != null) {
            log.warn(
                    "{}: key '{}' is set aside ({}): {}",
                    options,
                    aside.key(),
                    aside.state().stored(),
                    aside.error());
        }
    }
}
