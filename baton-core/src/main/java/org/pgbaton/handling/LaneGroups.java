package org.pgbaton.handling;

import java.util.List;
import java.util.stream.IntStream;
import org.pgbaton.hub.Sight;

/**
 * How a subscription divides the lanes of its log. Per key there is a group for each lane, unless the publisher wants fewer: then a lane
 * belongs to the group with the number of the lane modulo the number of groups. In total order one group has all lanes. Immutable.
 *
 * @param lanes of the log
 * @param number of groups
 */
public record LaneGroups(int lanes, int number, boolean isTotal) {
    static LaneGroups perKey(int lanes, int number) {
        return new LaneGroups(lanes, Math.min(lanes, number), false);
    }

    static LaneGroups total(int lanes) {
        return new LaneGroups(lanes, 1, true);
    }

    public List<LaneGroup> all() {
        return isTotal
                ? List.of(LaneGroup.ALL_LANES)
                : IntStream.range(0, number).mapToObj(LaneGroup::new).toList();
    }

    /** The group to which a lane of the log belongs. */
    public LaneGroup of(int lane) {
        return isTotal ? LaneGroup.ALL_LANES : new LaneGroup(lane % number);
    }

    /** Whether each group is a lane. */
    public boolean areSingleLanes() {
        return !isTotal && number == lanes;
    }

    /** How far a group may be read: not beyond the frontier of any of its lanes. */
    public long frontier(Sight seen, LaneGroup group) {
        if (group.hasAllLanes()) {
            return seen.least();
        }
        long least = seen.end();
        for (int lane = group.number(); lane < lanes; lane += number) {
            least = Math.min(least, seen.frontier()[lane]);
        }
        return least;
    }
}
