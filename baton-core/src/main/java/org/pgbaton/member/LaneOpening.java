package org.pgbaton.member;

import java.util.List;
import org.pgbaton.checkpoint.CheckpointRow;
import org.pgbaton.checkpoint.SubscriptionStore;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.LaneFeed;
import org.pgbaton.lane.Tenure;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.TransactionalPublisher;
import org.pgbaton.work.WorkContext;

/**
 * Makes a lane that was taken ready for work: its keys that are set aside must be known before anything of it is handled, and a target with
 * transactions is told that the lane has another owner. Thread-safe.
 */
final class LaneOpening {
    private final WorkContext work;
    private final SubscriptionStore store;

    LaneOpening(WorkContext work, SubscriptionStore store) {
        this.work = work;
        this.store = store;
    }

    Lane lane(CheckpointRow row, Tenure tenure) {
        return new Lane(row.group(), tenure, work.now());
    }

    void open(Lane lane) throws Exception {
        store.aside(List.of(lane.checkpoint()))
                .forEach(aside -> lane.asideKeys().remember(aside, work.now()));
        openFeed(lane);
    }

    /**
     * Opening the feed shuts out the lane's former owner; then the target tells how far that one came. Afterwards the database is asked
     * whether the lane is still ours. If another member has taken it meanwhile, we would have shut out that member, and we know nothing of
     * the keys that it has set aside. A member that takes the lane later opens the feed later, too.
     */
    private void openFeed(Lane lane) throws Exception {
        TransactionalPublisher publisher = work.options().handling().transactional();
        if (publisher == null) {
            return;
        }
        Feed feed = publisher.open(
                work.options().feedName(), Math.max(0, lane.group().number()));
        try {
            lane.open(new LaneFeed(feed, store.generation(lane.tenure())));
        } finally {
            if (!lane.hasFeed()) {
                feed.close();
            }
        }
        new FeedCatchUp(work, store, lane).run();
    }
}
