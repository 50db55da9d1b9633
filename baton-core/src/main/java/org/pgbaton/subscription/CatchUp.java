package org.pgbaton.subscription;

import java.util.Map;
import org.pgbaton.database.LineLogger;
import org.slf4j.Logger;

/**
 * Brings a lane that was taken over to where its feed was when its former owner stopped: the target is ahead of the checkpoint, if anything.
 * Which of the target's marks count is decided by {@link Marks}.
 */
final class CatchUp {
    private static final Logger log = LineLogger.of(CatchUp.class);

    private final Workshop shop;
    private final Store store;
    private final Lane lane;
    private final Marks marks;

    CatchUp(Workshop shop, Store store, Lane lane) {
        this.shop = shop;
        this.store = store;
        this.lane = lane;
        this.marks = new Marks(lane.feed().marks(), lane.feed().generation(), this::isInLog);
    }

    void run() throws Exception {
        long ofGroup = marks.ofGroup(lane.stored);
        if (ofGroup > lane.stored) {
            log.debug("{}: lane {} goes on from position {}, as the target says", shop.options, lane.number, ofGroup);
            lane.reached = ofGroup;
            lane.published = ofGroup;
        }
        settle(marks.ofKeys(lane.parked.keySet()));
        marks.removable().forEach(lane.feed()::obsolete);
    }

    private void settle(Map<String, Long> published) throws Exception {
        if (published.isEmpty()) {
            return;
        }
        shop.inFencedTransaction(lane, connection -> {
            for (Map.Entry<String, Long> each : published.entrySet()) {
                shop.sql.forgetUpTo(connection, shop.subscription, each.getKey(), each.getValue());
            }
        });
    }

    private boolean isInLog(Progress recorded) {
        boolean isThere = store.has(shop.options.log(), recorded);
        if (!isThere) {
            log.warn(
                    "{}: the target was sent up to position {}, but log '{}' has another message there now, or none: the database has lost "
                            + "its end, and what follows position {} is sent, perhaps again",
                    shop.options,
                    recorded.position(),
                    shop.options.log().name(),
                    lane.stored);
        }
        return isThere;
    }
}
