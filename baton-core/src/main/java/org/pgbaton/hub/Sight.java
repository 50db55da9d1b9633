package org.pgbaton.hub;

import java.util.Arrays;
import java.util.Set;

/**
 * What one look at the database showed of one log.
 *
 * @param end the last position drawn
 * @param frontier of each lane; see {@link org.pgbaton.frontier.Frontier}
 * @param members the numbers of all members alive, of any subscription
 * @param owned the numbers of all checkpoints whose lane has an owner
 * @param actions another number whenever an operator did something
 * @param timeline of the server that was looked at
 * @param startedAt on the monotonic clock
 */
@SuppressWarnings("ArrayRecordComponent") // made once per look, and compared by sameAs
public record Sight(
        long end,
        long[] frontier,
        Set<Integer> members,
        Set<Integer> owned,
        long actions,
        String timeline,
        long startedAt) {
    boolean sameAs(Sight other) {
        return end == other.end
                && actions == other.actions
                && Arrays.equals(frontier, other.frontier)
                && members.equals(other.members)
                && owned.equals(other.owned);
    }

    /** The frontier of the whole log: the least of all lanes. */
    public long least() {
        long least = end;
        for (long lane : frontier) {
            least = Math.min(least, lane);
        }
        return least;
    }
}
