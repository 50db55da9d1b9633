package org.pgbaton.subscription;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.LineLogger;
import org.slf4j.Logger;

/** Brings a lane that was taken over to where its feed was when its former owner stopped: the target is ahead of the checkpoint, if anything. */
final class CatchUp {
    private static final Logger log = LineLogger.of(CatchUp.class);

    private final Workshop shop;
    private final Store store;
    private final Lane lane;
    private final Map<String, String> marks;

    CatchUp(Workshop shop, Store store, Lane lane) {
        this.shop = shop;
        this.store = store;
        this.lane = lane;
        this.marks = lane.feed().marks();
    }

    void run() throws Exception {
        Progress ofGroup = counting(Progress.OF_GROUP, lane.stored);
        if (ofGroup != null) {
            log.debug(
                    "{}: lane {} goes on from position {}, as the target says",
                    shop.options,
                    lane.number,
                    ofGroup.position());
            lane.reached = ofGroup.position();
            lane.published = ofGroup.position();
        }
        settleKeys();
        // Those of keys that are not set aside, and those of keys of which PostgreSQL knows it now.
        marks.keySet().stream().filter(name -> !name.equals(Progress.OF_GROUP)).forEach(lane.feed()::obsolete);
    }

    private void settleKeys() throws Exception {
        Map<String, Long> published = new HashMap<>();
        for (String key : lane.parked.keySet()) {
            Progress ofKey = counting(Progress.ofKey(key), 0);
            if (ofKey != null) {
                published.put(key, ofKey.position());
            }
        }
        if (published.isEmpty()) {
            return;
        }
        shop.inFencedTransaction(lane, connection -> {
            for (Map.Entry<String, Long> each : published.entrySet()) {
                shop.sql.forgetUpTo(connection, shop.subscription, each.getKey(), each.getValue());
            }
        });
    }

    /** Null if nothing beyond that position is recorded, or it does not count. */
    private @Nullable Progress counting(String name, long beyond) {
        Progress recorded = Progress.read(marks.get(name));
        if (recorded == null
                || !recorded.generation().equals(lane.feed().generation())
                || recorded.position() <= beyond) {
            return null;
        }
        if (store.has(shop.options.log(), recorded)) {
            return recorded;
        }
        log.warn(
                "{}: the target was sent up to position {}, but log '{}' has another message there now, or none: the database has lost "
                        + "its end, and what follows position {} is sent, perhaps again",
                shop.options,
                recorded.position(),
                shop.options.log().name(),
                beyond);
        return null;
    }
}
