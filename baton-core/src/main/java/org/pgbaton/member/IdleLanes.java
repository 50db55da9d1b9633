package org.pgbaton.member;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.lane.Lane;
import org.pgbaton.session.LineLogger;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.work.WorkContext;
import org.slf4j.Logger;

/**
 * Stores how far lanes are that read on without finding anything of the subscription's. That is for retention and for status; nothing
 * depends on it.
 *
 * <p>Guarded by the {@link MemberState}: the idle lanes, which are busy while their positions are stored.
 */
final class IdleLanes {
    private static final Logger log = LineLogger.of(IdleLanes.class);

    private final WorkContext work;
    private final SubscriptionOptions options;
    private final MemberState state;
    private final FailureResponse failures;
    private final Executor background;
    private final Runnable dispatch;

    IdleLanes(WorkContext work, MemberState state, FailureResponse failures, Executor background, Runnable dispatch) {
        this.work = work;
        this.options = work.options();
        this.state = state;
        this.failures = failures;
        this.background = background;
        this.dispatch = dispatch;
    }

    /** To be called about once a second. */
    void store() {
        List<Lane> idle;
        synchronized (state) {
            if (state.status != SubscriptionState.RUNNING) {
                return;
            }
            idle = state.lanes.values().stream()
                    .filter(lane ->
                            !lane.isBusy() && !lane.isLeaving() && !lane.isUnsure() && lane.reached() > lane.stored())
                    .sorted(Comparator.comparing(Lane::checkpoint))
                    .toList();
            idle.forEach(lane -> lane.setBusy(true));
        }
        if (!idle.isEmpty()) {
            background.execute(() -> store(idle));
        }
    }

    private void store(List<Lane> idle) {
        Map<Lane, Long> reached = new LinkedHashMap<>();
        idle.forEach(lane -> reached.put(lane, lane.reached()));
        boolean stored = false;
        try {
            work.transactions().closeAtOnce(reached);
            stored = true;
        } catch (Exception failed) {
            log.debug("{}: idle lanes could not be written down", options, failed);
            failures.resync(idle, true);
        } finally {
            synchronized (state) {
                if (stored) {
                    reached.forEach(Lane::setStored);
                }
                idle.forEach(lane -> lane.setBusy(false));
            }
            dispatch.run();
        }
    }
}
