package org.pgbaton.member;

import java.util.Map;
import org.pgbaton.checkpoint.SubscriptionStore;
import org.pgbaton.lane.FeedMarks;
import org.pgbaton.lane.FeedProgress;
import org.pgbaton.lane.Lane;
import org.pgbaton.session.LineLogger;
import org.pgbaton.work.WorkContext;
import org.slf4j.Logger;

/**
 * Brings a lane that was taken over to where its feed was when its former owner stopped: the target is ahead of the checkpoint, if anything.
 * Which of the target's marks count is decided by {@link FeedMarks}.
 */
final class FeedCatchUp {
    private static final Logger log = LineLogger.of(FeedCatchUp.class);

    private final WorkContext work;
    private final SubscriptionStore store;
    private final Lane lane;
    private final FeedMarks marks;

    FeedCatchUp(WorkContext work, SubscriptionStore store, Lane lane) {
        this.work = work;
        this.store = store;
        this.lane = lane;
        this.marks = new FeedMarks(lane.feed().marks(), lane.feed().generation(), this::isInLog);
    }

    void run() throws Exception {
        long ofGroup = marks.ofGroup(lane.stored());
        if (ofGroup > lane.stored()) {
            log.debug(
                    "{}: lane {} goes on from position {}, as the target says", work.options(), lane.group(), ofGroup);
            lane.setReached(ofGroup);
            lane.setPublished(ofGroup);
        }
        settle(marks.ofKeys(lane.asideKeys().names()));
        marks.removable().forEach(lane.feed()::obsolete);
    }

    private void settle(Map<String, Long> published) throws Exception {
        if (published.isEmpty()) {
            return;
        }
        work.transactions().runFenced(lane, connection -> {
            for (Map.Entry<String, Long> each : published.entrySet()) {
                work.sql().forgetUpTo(connection, each.getKey(), each.getValue());
            }
        });
    }

    private boolean isInLog(FeedProgress recorded) {
        boolean isThere = store.has(work.options().log(), recorded);
        if (!isThere) {
            log.warn(
                    "{}: the target was sent up to position {}, but log '{}' has another message there now, or none: the database has lost "
                            + "its end, and what follows position {} is sent, perhaps again",
                    work.options(),
                    recorded.position(),
                    work.options().log().name(),
                    lane.stored());
        }
        return isThere;
    }
}
