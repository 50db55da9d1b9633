package org.pgbaton.batch;

import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.Handling;
import org.pgbaton.lane.Claim;
import org.pgbaton.work.WorkContext;

/** Makes batches of the kind that a subscription's handler needs. Thread-safe. */
public final class Batches {
    private final WorkContext work;

    public Batches(WorkContext work) {
        this.work = work;
    }

    public Batch of(Claim claim, HandlerWatch watch, Batch.Given given) {
        Handling handling = work.options().handling();
        if (handling.isProjection()) {
            return new ProjectionBatch(work, claim, watch, given);
        }
        if (handling.transactional() != null) {
            return new FeedBatch(work, claim, watch, given);
        }
        return handling.publisher() == null
                ? new ReactionBatch(work, claim, watch, given)
                : new RelayBatch(work, claim, watch, given, handling.publisher());
    }
}
