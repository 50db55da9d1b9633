package org.pgbaton.member;

import java.util.Map;
import org.pgbaton.checkpoint.CheckpointRow;
import org.pgbaton.checkpoint.SubscriptionStore;
import org.pgbaton.hub.Hub;
import org.pgbaton.lane.CheckpointId;
import org.pgbaton.lane.LaneSession;
import org.pgbaton.session.BackgroundTasks;

/**
 * The parts of the process that a member uses.
 *
 * @param checkpoints of the subscription, by their numbers
 */
public record MemberServices(
        SubscriptionStore store,
        LaneSession session,
        Hub hub,
        BackgroundTasks background,
        MemberDirectory directory,
        Map<CheckpointId, CheckpointRow> checkpoints) {}
