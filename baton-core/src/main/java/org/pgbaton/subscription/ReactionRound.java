package org.pgbaton.subscription;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/** For a reaction: one call after the other; one that is slow is left, and waited for by nobody. */
final class ReactionRound extends Round {
    ReactionRound(Workshop shop, Lane lane, List<Parked> keys, Running running) {
        super(shop, lane, keys, running);
    }

    @Override
    void handle(Collection<Course> open) throws Exception {
        readHeads(open);
        Deque<List<Message>> units = new ArrayDeque<>();
        open.forEach(course -> units.addAll(options.handling().unitsOfOneKey(course.waiting, false)));
        while (!units.isEmpty() && outage == null && call(units)) {
            units.removeIf(unit -> courseOf(unit.get(0)).isOver());
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
            Course course = courseOf(unit.get(0));
            calls.add(shop.prepare(unit, lane, course.handled.isEmpty() ? course.parked.attempts + 1 : 1));
        }
        Turn turn = shop.begin(calls, unit -> goesOn() && (unit == units.peek() || !isLongEnough()));
        Call slow = turn.await(options.slow());
        int begun = turn.begun();
        for (Call call : calls.subList(0, begun)) {
            units.poll();
            record(call, call == slow);
        }
        Call last = turn.last();
        return last != null
                && (begun == calls.size() || courseOf(last.unit.get(0)).isOver());
    }

    private void record(Call call, boolean isSlow) {
        Course course = courseOf(call.unit.get(0));
        @Nullable Throwable failure = call.failure();
        if (isSlow) {
            course.slow = true;
            course.inFlight = call;
            shop.slow(course.parked.key);
        } else if (failure == null) {
            course.handled.addAll(call.unit);
        } else {
            course.failure = shop.failed(call.unit, failure);
            if (course.failure.isOfTheWholeTarget()) {
                outage = course.failure;
            }
        }
    }
}
