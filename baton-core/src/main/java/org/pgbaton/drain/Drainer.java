package org.pgbaton.drain;

import java.util.List;
import java.util.Map;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.Handling;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.Lane;
import org.pgbaton.work.WorkContext;

/** Goes on with keys that are set aside, in the way that the subscription's handler needs. Thread-safe. */
public final class Drainer {
    private final WorkContext work;

    public Drainer(WorkContext work) {
        this.work = work;
    }

    /**
     * @param keys of this lane; a lane with a feed drains one at a time
     * @return what comes next for each key
     */
    public Map<AsideKey, AfterDrain> drain(Lane lane, List<AsideKey> keys, HandlerWatch watch) throws Exception {
        if (lane.hasFeed()) {
            return Map.of(keys.get(0), new FeedDrain(work, lane, keys.get(0)).run());
        }
        return round(lane, keys, watch).run();
    }

    private DrainRound round(Lane lane, List<AsideKey> keys, HandlerWatch watch) {
        Handling handling = work.options().handling();
        if (handling.isProjection()) {
            return new ProjectionDrain(work, lane, keys, watch);
        }
        return handling.publisher() == null
                ? new ReactionDrain(work, lane, keys, watch)
                : new RelayDrain(work, lane, keys, watch, handling.publisher());
    }
}
