package org.pgbaton.member;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.Map;
import org.pgbaton.checkpoint.CheckpointRow;
import org.pgbaton.checkpoint.StoredSubscription;
import org.pgbaton.checkpoint.SubscriptionStore;
import org.pgbaton.database.BatonException;
import org.pgbaton.hub.Sight;
import org.pgbaton.lane.CheckpointId;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.StoredAside;
import org.pgbaton.work.WorkContext;

/**
 * Reads what operators changed: the state, lanes that were rewound, keys to try again. It runs after a look that shows a new action, and
 * now and then in case something was missed.
 *
 * <p>Guarded by the {@link MemberState}: the state, what is known of parked keys, and which lanes leave. One at a time.
 */
final class OperatorChanges {
    /** At most so many keys are compared in one hold of the monitor: others need it, too. */
    private static final int SOME = 1000;

    private final SubscriptionStore store;
    private final int subscription;
    private final WorkContext work;
    private final MemberState state;
    private final Runnable dispatch;
    private final Object reloading = new Object();

    @GuardedBy("state")
    private long knownActions = -1;

    OperatorChanges(SubscriptionStore store, int subscription, WorkContext work, MemberState state, Runnable dispatch) {
        this.store = store;
        this.subscription = subscription;
        this.work = work;
        this.state = state;
        this.dispatch = dispatch;
    }

    /** Whether somebody did something since the last look. */
    boolean isDue(Sight seen) {
        synchronized (state) {
            boolean due = knownActions != seen.actions();
            knownActions = seen.actions();
            return due;
        }
    }

    void run() {
        synchronized (reloading) { // an older read must not overwrite a newer one
            runAlone();
        }
    }

    private void runAlone() {
        try {
            List<CheckpointId> owned;
            synchronized (state) {
                owned = List.copyOf(state.lanes.keySet());
            }
            StoredSubscription stored = store.read(subscription, owned);
            synchronized (state) {
                state.setState(stored.state());
                state.lanes.values().stream()
                        .filter(lane -> isOthers(lane, stored.checkpoints()))
                        .forEach(Lane::leave);
            }
            List<StoredAside> rows = stored.aside();
            for (int from = 0; from < rows.size(); from += SOME) {
                hear(rows.subList(from, Math.min(rows.size(), from + SOME)));
            }
            dispatch.run();
        } catch (BatonException trouble) {
            synchronized (state) {
                knownActions = -1; // again with the next look
            }
        }
    }

    private void hear(List<StoredAside> rows) {
        synchronized (state) {
            for (StoredAside row : rows) {
                Lane lane = state.lanes.get(row.checkpoint());
                if (lane != null) {
                    lane.asideKeys().hear(row, work.now());
                }
            }
        }
    }

    /** Rewound, or taken by somebody without a lock: to be taken again, from where it is now. */
    private static boolean isOthers(Lane lane, Map<CheckpointId, CheckpointRow> rows) {
        CheckpointRow row = rows.get(lane.checkpoint());
        return row == null || row.epoch() > lane.tenure().epoch();
    }
}
