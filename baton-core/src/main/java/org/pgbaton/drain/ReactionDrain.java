package org.pgbaton.drain;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.Call;
import org.pgbaton.handling.CallSequence;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.Lane;
import org.pgbaton.log.Message;
import org.pgbaton.work.WorkContext;

/** For a reaction: one call after the other; a slow one goes on without anybody waiting for it. */
final class ReactionDrain extends DrainRound {
    ReactionDrain(WorkContext work, Lane lane, List<AsideKey> keys, HandlerWatch watch) {
        super(work, lane, keys, watch);
    }

    @Override
    void handle(Collection<KeyDrain> open) throws Exception {
        readHeads(open);
        Deque<List<Message>> units = new ArrayDeque<>();
        open.forEach(drain -> units.addAll(options.handling().unitsOfOneKey(drain.waiting, false)));
        while (!units.isEmpty() && outage == null && call(units)) {
            units.removeIf(unit -> drainOf(unit.get(0)).isOver());
        }
        settleAlone();
    }

    /**
     * Calls the handler for the first of these units, and for as many more as go well; takes them out.
     *
     * @return false if nothing more is to be begun
     */
    private boolean call(Deque<List<Message>> units) throws InterruptedException {
        List<Call> calls = new ArrayList<>();
        for (List<Message> unit : units) {
            KeyDrain drain = drainOf(unit.get(0));
            calls.add(work.calls()
                    .prepare(unit, lane, drain.handled.isEmpty() ? drain.aside().attempts() + 1 : 1));
        }
        CallSequence sequence = work.calls().call(calls, unit -> goesOn() && (unit == units.peek() || !isLongEnough()));
        Call slow = sequence.await(options.slow());
        int begun = sequence.begun();
        for (Call call : calls.subList(0, begun)) {
            units.poll();
            record(call, call == slow);
        }
        Call last = sequence.last();
        return last != null && (begun == calls.size() || drainOf(last.first()).isOver());
    }

    private void record(Call call, boolean isSlow) {
        KeyDrain drain = drainOf(call.first());
        @Nullable Throwable failure = call.failure();
        if (isSlow) {
            drain.slow = true;
            drain.running = call;
            work.slowKeys().add(drain.key());
        } else if (failure == null) {
            drain.handled.addAll(call.unit());
        } else {
            drain.failure = UnitFailed.of(call.unit(), failure, options);
            if (drain.failure.isOfTheWholeTarget()) {
                outage = drain.failure;
            }
        }
    }
}
