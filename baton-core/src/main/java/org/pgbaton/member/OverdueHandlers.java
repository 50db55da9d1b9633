package org.pgbaton.member;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.Suspect;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.Lane;
import org.pgbaton.log.Message;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.LogFields;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.work.WorkContext;
import org.slf4j.Logger;

/**
 * Interrupts handlers of projections that are over their limit, and gives up those that do not return. Reactions are looked after by those
 * who wait for them.
 *
 * <p>Guarded by the {@link MemberState}: who is {@linkplain MemberState#working working} or {@linkplain MemberState#draining draining}, and
 * is taken out of there when it is given up.
 */
final class OverdueHandlers {
    private static final Logger log = LineLogger.of(OverdueHandlers.class);

    private static final String DID_NOT_RETURN = "The handler did not return within its limit.";

    private final WorkContext work;
    private final SubscriptionOptions options;
    private final MemberState state;
    private final FailureResponse failures;
    private final Drains drains;
    private final Runnable dispatch;

    OverdueHandlers(WorkContext work, MemberState state, FailureResponse failures, Drains drains, Runnable dispatch) {
        this.work = work;
        this.options = work.options();
        this.state = state;
        this.failures = failures;
        this.drains = drains;
        this.dispatch = dispatch;
    }

    /** To be called about once a second. */
    void interrupt() {
        long now = work.now();
        Map<Claim, HandlerWatch> working;
        List<HandlerWatch> draining;
        synchronized (state) {
            working = new HashMap<>(state.working);
            draining = List.copyOf(state.draining.keySet());
        }
        working.forEach((claim, watch) -> hurry(watch, now, unit -> giveUp(claim, unit)));
        draining.forEach(watch -> hurry(watch, now, unit -> drains.giveUp(watch, unit)));
    }

    private void hurry(HandlerWatch watch, long now, Consumer<List<Message>> onGivenUp) {
        if (watch.isOver(options.limit().plus(HandlerWatch.GRACE), now)) {
            LogFields doing = watch.describe(now);
            List<Message> unit = watch.giveUp();
            if (unit != null) {
                log.error("{}: a handler does not return, and is given up: it {}", options, doing);
                onGivenUp.accept(unit);
            }
        } else if (watch.isOver(options.limit(), now)) {
            log.warn("{}: a handler is over its limit, and is interrupted: it {}", options, watch.describe(now));
            watch.interrupt();
        }
    }

    /** Its transaction is aborted; the lanes' rows are worked on again, without the message if it is known which one it was. */
    private void giveUp(Claim claim, List<Message> unit) {
        failures.resync(claim.lanes(), true);
        synchronized (state) {
            state.unclaim(claim);
            claim.lanes().forEach(Lane::beCareful);
            work.calls().giveUp(unit); // no lane waits for it
            if (UnitFailed.isOfOneKey(unit)) {
                Message first = unit.get(0);
                state.suspects.put(first.key(), new Suspect(first.position(), Verdict.RETRY, DID_NOT_RETURN));
            }
        }
        dispatch.run();
    }

    /** Handlers over their limit, each with its stack. */
    List<String> describe() {
        long now = work.now();
        List<String> all = new ArrayList<>(work.calls().overdue());
        synchronized (state) {
            for (HandlerWatch watch : state.working.values()) {
                if (watch.isOver(options.limit(), now)) {
                    all.add(watch.describe(now).toString());
                }
            }
        }
        return all;
    }
}
