package org.pgbaton.lane;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.handling.LaneGroup;
import org.pgbaton.handling.LaneGroups;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.log.Message;

/** Some lanes of one member, for one worker, until it is done: which of their rows to read, and where each lane is afterwards. */
public final class Claim {
    private final Map<LaneGroup, Lane> lanes = new HashMap<>();
    private final Map<Lane, Long> frontiers = new HashMap<>();
    private final LaneGroups groups;

    public Claim(List<Lane> claimed, SubscriptionOptions options) {
        this.groups = options.groups();
        for (Lane lane : claimed) {
            lanes.put(lane.group(), lane);
            frontiers.put(lane, lane.frontier());
        }
    }

    /** In ascending order of their checkpoints. */
    public List<Lane> lanes() {
        List<Lane> all = new ArrayList<>(lanes.values());
        all.sort(Comparator.comparing(Lane::checkpoint));
        return all;
    }

    public Lane laneOf(Message message) {
        Lane lane = lanes.get(groups.of(message.lane()));
        if (lane == null) {
            throw new IllegalStateException(message + " is of lane " + message.lane() + ", which was not asked for");
        }
        return lane;
    }

    public long from() {
        return lanes.values().stream().mapToLong(Lane::reached).min().orElse(0);
    }

    public long upTo() {
        return frontiers.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Whether the row is between its own lane's position and frontier: the lanes read together are not all at the same place. */
    public boolean concerns(Message message) {
        Lane lane = laneOf(message);
        return message.position() > lane.reached() && message.position() <= frontierOf(lane);
    }

    /**
     * Whether a lane has been read as far as could be when it was claimed, and could be read further now; the others go on. A lane that
     * was held back is such a one.
     */
    public boolean hasWaitingLane() {
        return lanes.values().stream()
                .anyMatch(lane -> lane.reached() >= frontierOf(lane) && lane.frontier() > lane.reached());
    }

    private long frontierOf(Lane lane) {
        Long frontier = frontiers.get(lane);
        return frontier == null ? lane.reached() : frontier;
    }

    /** Where the lane is once everything up to that position has been read. */
    public long reached(Lane lane, long readUpTo) {
        return Math.max(lane.reached(), Math.min(readUpTo, frontierOf(lane)));
    }
}
