package org.pgbaton.subscription;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgbaton.database.LineLogger;
import org.pgbaton.log.Message;
import org.slf4j.Logger;

/**
 * What the clock does: interrupts handlers over their limit, gives up those that do not return, writes down how far idle lanes are, and
 * reads again whatever was missed.
 *
 * <p>Guarded by the {@link Board}: what it takes out of {@link Board#working} and {@link Board#draining} for those that are given up, and
 * the idle lanes, which are busy while they are written down. A tick that takes long does not hold up the next.
 */
final class EverySecond {
    private static final Logger log = LineLogger.of(EverySecond.class);

    /** Whatever was missed is read again; in seconds. */
    private static final int RELOAD_EVERY = 30;

    /** In seconds: locks that others hold are told soon, and looking costs one statement. */
    private static final int STRANGERS_EVERY = 3;

    private static final String DID_NOT_RETURN = "The handler did not return within its limit.";

    private final Crew crew;
    private final Workshop shop;
    private final Options options;
    private final Board board;
    private final Trouble trouble;
    private final Drains drains;
    private final Reload reload;
    private final Strangers strangers;
    private final Runnable dispatch;

    private int ticks;

    EverySecond(
            Crew crew,
            Workshop shop,
            Board board,
            Trouble trouble,
            Drains drains,
            Reload reload,
            Strangers strangers,
            Runnable dispatch) {
        this.crew = crew;
        this.shop = shop;
        this.options = shop.options;
        this.board = board;
        this.trouble = trouble;
        this.drains = drains;
        this.reload = reload;
        this.strangers = strangers;
        this.dispatch = dispatch;
    }

    void tick() {
        long now = shop.nanos.getAsLong();
        Map<Claim, Running> busy;
        List<Running> draining;
        synchronized (board) {
            busy = new HashMap<>(board.working);
            draining = List.copyOf(board.draining.keySet());
        }
        busy.forEach((claim, running) -> hurry(running, now, unit -> giveUp(claim, unit)));
        draining.forEach(running -> hurry(running, now, unit -> drains.giveUp(running, unit)));
        flush();
        ticks++;
        if (ticks % STRANGERS_EVERY == 0 && isRunning()) {
            crew.execute(strangers::look);
        }
        if (ticks % RELOAD_EVERY == 0) {
            reload.run();
        }
    }

    private boolean isRunning() {
        synchronized (board) {
            return board.state == SubscriptionState.RUNNING;
        }
    }

    private void hurry(Running running, long now, Consumer<List<Message>> onGivenUp) {
        if (running.isOver(options.limit().plus(Workshop.GRACE), now)) {
            String doing = running.describe(now);
            List<Message> unit = running.giveUp();
            if (unit != null) {
                log.error("{}: a handler does not return, and is given up: it {}", options, doing);
                onGivenUp.accept(unit);
            }
        } else if (running.isOver(options.limit(), now)) {
            log.warn("{}: a handler is over its limit, and is interrupted: it {}", options, running.describe(now));
            running.interrupt();
        }
    }

    /** Its transaction is aborted; the lanes' rows are worked on again, without the message if it is known which one it was. */
    private void giveUp(Claim claim, List<Message> unit) {
        trouble.resync(claim.lanes(), true);
        synchronized (board) {
            board.unclaim(claim);
            claim.lanes().forEach(lane -> lane.careful = true);
            shop.calls.all().stream().filter(call -> call.unit == unit).forEach(Call::giveUp); // no lane waits for it
            if (Batch.isOfOneKey(unit)) {
                Message first = unit.get(0);
                board.suspects.put(first.key(), new Suspect(first.position(), Verdict.RETRY, DID_NOT_RETURN));
            }
        }
        dispatch.run();
    }

    /** Lanes that read on without finding anything of ours. So that retention and status see it; not for safety. */
    private void flush() {
        List<Lane> idle;
        synchronized (board) {
            if (board.state != SubscriptionState.RUNNING) {
                return;
            }
            idle = board.lanes.values().stream()
                    .filter(lane -> !lane.busy && !lane.leaving && !lane.unsure && lane.reached > lane.stored)
                    .sorted(Comparator.comparingInt(Lane::checkpoint))
                    .toList();
            idle.forEach(lane -> lane.busy = true);
        }
        if (!idle.isEmpty()) {
            crew.execute(() -> flush(idle));
        }
    }

    private void flush(List<Lane> idle) {
        Map<Lane, Long> reached = new LinkedHashMap<>();
        idle.forEach(lane -> reached.put(lane, lane.reached));
        boolean stored = false;
        try {
            shop.closeAtOnce(reached);
            stored = true;
        } catch (Exception failed) {
            log.debug("{}: idle lanes could not be written down", options, failed);
            trouble.resync(idle, true);
        } finally {
            synchronized (board) {
                if (stored) {
                    reached.forEach((lane, position) -> lane.stored = position);
                }
                idle.forEach(lane -> lane.busy = false);
            }
            dispatch.run();
        }
    }

    /** Handlers over their limit, each with its stack. */
    List<String> overdue() {
        long now = shop.nanos.getAsLong();
        List<String> all = new ArrayList<>(shop.overdue());
        synchronized (board) {
            for (Running running : board.working.values()) {
                if (running.isOver(options.limit(), now)) {
                    all.add(running.describe(now));
                }
            }
        }
        return all;
    }
}
