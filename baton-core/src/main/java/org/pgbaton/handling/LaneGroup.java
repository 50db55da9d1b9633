package org.pgbaton.handling;

/**
 * Lanes of a log that share a checkpoint of a subscription, and so have one owner: one lane, several, or all. See {@link LaneGroups}.
 *
 * @param number as the checkpoint's row has it: the lowest lane of the group; -1 if it has all lanes
 */
public record LaneGroup(int number) {
    /** The only group of a subscription in total order. */
    public static final LaneGroup ALL_LANES = new LaneGroup(-1);

    public boolean hasAllLanes() {
        return number < 0;
    }

    /** The number, as messages name it. */
    @Override
    public String toString() {
        return Integer.toString(number);
    }
}
