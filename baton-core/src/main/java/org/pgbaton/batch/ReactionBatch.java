package org.pgbaton.batch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.pgbaton.handling.Call;
import org.pgbaton.handling.CallSequence;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.Handling;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.Lane;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.work.WorkContext;

/**
 * For a reaction: call the handler, outside any transaction; close in a transaction of its own. A crash in between delivers again. What was handled and
 * could not be closed is remembered as long as the lane is ours.
 */
final class ReactionBatch extends Batch {
    private final boolean canWaitAside;

    ReactionBatch(WorkContext work, Claim claim, HandlerWatch watch, Given given) {
        super(work, claim, watch, given);
        this.canWaitAside = options.handling().isOfOneKey() && !options.isTotal();
    }

    @Override
    public void run() throws Exception {
        BatchAttempt attempt = attempt();
        Handling handling = options.handling();
        List<Message> todo = attempt.todo().stream()
                .filter(message -> !claim.laneOf(message).isConfirmed(message.position()))
                .toList();
        List<List<Message>> units =
                isCareful() ? handling.unitsOfOneKey(todo, options.isTotal()) : handling.units(todo, options.isTotal());
        int at = 0;
        while (at < units.size()) {
            List<Message> unit = units.get(at);
            if (unit.get(0).position() > attempt.upTo()) {
                break; // total order, and one before it failed
            }
            if (handling.isOfOneKey() && attempt.isAside(unit.get(0).key())) {
                attempt.pass(unit);
                at++;
                continue;
            }
            boolean cut = at > 0 && isLongEnough() && isCleanCut(units, at);
            int handled = cut ? 0 : call(attempt, units.subList(at, units.size()));
            at += handled;
            if (handled == 0 || interruption() != null) {
                attempt.cutBefore(units.subList(at, units.size()));
                break;
            }
        }
        closeOrRemember();
    }

    private boolean mayCall(BatchAttempt attempt, List<Message> unit) {
        Lane lane = claim.laneOf(unit.get(0));
        return !lane.isGone()
                && !work.calls().isStopping()
                && lane.tenure().isTrusted()
                && !(options.handling().isOfOneKey()
                        && attempt.isAside(unit.get(0).key()));
    }

    /**
     * Calls the handler for the first of these units, and for as many more as go well.
     *
     * @return how many have been dealt with; 0 if nothing more is to be handled, not even the first
     */
    private int call(BatchAttempt attempt, List<List<Message>> units) throws InterruptedException {
        if (!mayCall(attempt, units.get(0))) {
            return 0;
        }
        List<Call> calls = new ArrayList<>();
        units.forEach(unit -> calls.add(work.calls().prepare(unit, claim.laneOf(unit.get(0)), 1)));
        CallSequence sequence =
                work.calls().call(calls, unit -> mayCall(attempt, unit) && (unit == units.get(0) || !isLongEnough()));
        Call slow = sequence.await(canWaitAside ? options.slow() : options.limit());
        Call last = sequence.last();
        if (last == null) {
            return 0;
        }
        int done = sequence.begun();
        if (slow != null && canWaitAside) {
            attempt.setAside(slow.unit(), slow);
            work.slowKeys().add(slow.unit().get(0).key());
            return done;
        }
        if (slow != null) {
            slow.interrupt();
            if (!slow.awaitEnd(HandlerWatch.GRACE)) {
                slow.giveUp();
                giveLanesUp();
            }
            return failed(attempt, UnitFailed.tooLate(slow.unit(), null, options)) ? done : done - 1;
        }
        Throwable failure = last.failure();
        return failure == null || failed(attempt, UnitFailed.of(last.unit(), failure, options)) ? done : done - 1;
    }

    /** @return whether the unit counts as done */
    private boolean failed(BatchAttempt attempt, UnitFailed failed) throws InterruptedException {
        List<Message> unit = failed.unit();
        boolean ofOneKey = failed.isOfOneKey();
        if (failed.isOfTheWholeTarget() || (givesLanesUp() && !ofOneKey)) {
            interrupted(failed.isOfTheWholeTarget() ? failed : failed.as(Verdict.OUTAGE));
            return false;
        }
        if (failed.verdict() != Verdict.LATER) {
            work.counters().addFailure();
        }
        if (ofOneKey) {
            attempt.setAside(unit, failed.suspect());
            return true;
        }
        Deque<List<Message>> keys = new ArrayDeque<>(options.handling().unitsOfOneKey(unit, options.isTotal()));
        while (!keys.isEmpty() && keys.peek().get(0).position() <= attempt.upTo()) {
            if (call(attempt, List.of(keys.poll())) == 0) {
                return false;
            }
        }
        return true;
    }
}
