package org.pgbaton.frontier;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The position below which no row of a lane can appear any more, for all lanes of one log.
 *
 * <p>Guarantee: a row that is still invisible to a statement begun after {@link #advance} returned has a position above its lane's
 * frontier.
 *
 * <p>Protocol. A writer takes its lane's shared lock <em>before</em> it draws a position, and keeps it until its transaction
 * has ended. A reader, on one connection, in this order:
 * <ol>
 *   <li>reads the end of the log, the last position drawn;
 *   <li>in a later statement, reads who holds the lanes' locks;
 *   <li>gives a writer it sees for the first time, as its floor, the end of the <em>previous</em> look: whatever that
 *       writer draws, it had not drawn it then;
 *   <li>takes for each lane the least of the end and its writers' floors;
 *   <li>reads rows up to there, in statements begun later.
 * </ol>
 * Why it holds: an invisible row at or below the end was drawn before step 1, so its writer held the lock at step 2 and has a
 * floor below the row's position.
 *
 * <p>"Previous" means on this same connection, and read completely. After any error or reconnect say {@link #forget}: a prepared
 * transaction changes its name over a restart of the server, and would be taken for a new writer. Then a writer's floor is 0.
 *
 * <p>Not thread-safe.
 */
public final class Frontier {
    /** An open transaction that wrote, or is about to write, to the lane. */
    public record Writer(String transaction, int lane) {}

    private static final long NONE = 0;

    private final int lanes;
    private long previousEnd = NONE;
    private Map<Writer, Long> floors = Map.of();

    public Frontier(int lanes) {
        this.lanes = lanes;
    }

    /**
     * @param end the last position drawn, read before the writers
     * @return the frontier of each lane
     */
    public long[] advance(long end, Collection<Writer> writers) {
        long[] frontier = new long[lanes];
        Arrays.fill(frontier, end);
        Map<Writer, Long> seen = new HashMap<>();
        for (Writer writer : writers) {
            long floor = floors.getOrDefault(writer, previousEnd);
            seen.put(writer, floor);
            frontier[writer.lane()] = Math.min(frontier[writer.lane()], floor);
        }
        floors = seen;
        previousEnd = end;
        return frontier;
    }

    /** Nothing that was seen before counts any more. */
    public void forget() {
        floors = Map.of();
        previousEnd = NONE;
    }
}
