package org.pgbaton.subscription;

import java.util.List;
import java.util.Map;
import org.pgbaton.database.BatonException;
import org.pgbaton.hub.Sight;

/**
 * Reads what operators did, to us perhaps: the state, lanes that were rewound, keys to try again. After a look that shows a new action,
 * and now and then, for whatever was missed.
 *
 * <p>Guarded by the {@link Board}: the state, what is known of parked keys, and which lanes leave. One at a time.
 */
final class Reload {
    /** So many keys are compared at a time: others want the monitor, too. */
    private static final int SOME = 1000;

    private final Crew crew;
    private final Workshop shop;
    private final Board board;
    private final Runnable dispatch;
    private final Object reloading = new Object();

    /** Guarded by the board. */
    private long knownActions = -1;

    Reload(Crew crew, Workshop shop, Board board, Runnable dispatch) {
        this.crew = crew;
        this.shop = shop;
        this.board = board;
        this.dispatch = dispatch;
    }

    /** Under the monitor. Whether somebody did something since the last look. */
    boolean isDue(Sight seen) {
        boolean due = knownActions != seen.actions();
        knownActions = seen.actions();
        return due;
    }

    void run() {
        synchronized (reloading) { // one that read earlier must not have the last word
            runAlone();
        }
    }

    private void runAlone() {
        try {
            List<Integer> owned;
            synchronized (board) {
                owned = List.copyOf(board.lanes.keySet());
            }
            Store.Everything stored = crew.store().everything(shop.subscription, owned);
            synchronized (board) {
                board.setState(stored.state());
                board.lanes.values().forEach(lane -> lane.leaving |= isOthers(lane, stored.checkpoints()));
            }
            List<Store.ParkedRow> rows = stored.parked();
            for (int from = 0; from < rows.size(); from += SOME) {
                hear(rows.subList(from, Math.min(rows.size(), from + SOME)));
            }
            dispatch.run();
        } catch (BatonException trouble) {
            synchronized (board) {
                knownActions = -1; // again with the next look
            }
        }
    }

    private void hear(List<Store.ParkedRow> rows) {
        synchronized (board) {
            for (Store.ParkedRow row : rows) {
                Lane lane = board.lanes.get(row.checkpoint());
                if (lane != null) {
                    lane.hear(row, shop.nanos.getAsLong());
                }
            }
        }
    }

    /** Rewound, or taken by somebody without a lock: to be taken again, from where it is now. */
    private static boolean isOthers(Lane lane, Map<Integer, Store.Row> rows) {
        Store.Row row = rows.get(lane.checkpoint());
        return row == null || row.epoch() > lane.tenure.epoch();
    }
}
