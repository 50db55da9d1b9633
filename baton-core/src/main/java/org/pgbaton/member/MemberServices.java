package org.pgbaton.member;

import java.util.Map;
import org.pgbaton.checkpoint.CheckpointRow;
import org.pgbaton.checkpoint.SubscriptionStore;
import org.pgbaton.hub.Hub;
import org.pgbaton.lane.LaneSession;
import org.pgbaton.session.BackgroundTasks;

/**
 * What a member uses of its process.
 *
 * @param checkpoints of the subscription, by their numbers
 */
public record MemberServices(
        SubscriptionStore store,
        LaneSession session,
        Hub hub,
        BackgroundTasks background,
        MemberDirectory directory,
        Map<Integer, CheckpointRow> checkpoints) {}
