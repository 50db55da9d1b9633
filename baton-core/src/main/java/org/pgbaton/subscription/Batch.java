package org.pgbaton.subscription;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * One unit of work: the next rows of the lanes that were claimed, handled, and the checkpoints moved.
 *
 * <p>Rows are read in a transaction of their own; below the frontier they do not change.
 *
 * <p>In total order nothing can be passed over: the batch ends at the message that failed, and the lane waits for it.
 */
abstract class Batch {
    /** Then it is closed with what it has: a takeover, a rebalance and a reader of the checkpoint should not wait for slow handlers. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    final Workshop shop;
    final Options options;
    final Claim claim;
    final Running running;
    final Map<String, Suspect> suspects = new HashMap<>();
    /** Keys that flow again with this batch; always the same, however often it is tried. */
    private final Map<String, Parked> flowing;
    /** Read once, however often they are tried. */
    private RowReader.@Nullable Rows rows;

    private @Nullable CompletableFuture<RowReader.Rows> ahead;
    private @Nullable Attempt last;
    private Map<Lane, Long> closed = Map.of();
    private long begun;
    private @Nullable UnitFailed interruption;
    private boolean givesLanesUp;
    /** Messages behind this position are left to the next batch. */
    private long togetherUpTo = Long.MAX_VALUE;

    /**
     * What is known before.
     *
     * @param flowing keys that are set aside, and flow again: nothing of them waits
     * @param rows if they have been read ahead already
     */
    record Given(Map<String, Suspect> suspects, Map<String, Parked> flowing, RowReader.@Nullable Rows rows) {}

    Batch(Workshop shop, Claim claim, Running running, Given given) {
        this.shop = shop;
        this.options = shop.options;
        this.claim = claim;
        this.running = running;
        this.suspects.putAll(given.suspects());
        this.flowing = given.flowing();
        this.rows = given.rows();
    }

    static Batch of(Workshop shop, Claim claim, Running running, Given given) {
        Handling handling = shop.options.handling();
        if (handling.isProjection()) {
            return new ProjectionBatch(shop, claim, running, given);
        }
        if (handling.transactional() != null) {
            return new FeedBatch(shop, claim, running, given);
        }
        return handling.publisher() == null
                ? new ReactionBatch(shop, claim, running, given)
                : new RelayBatch(shop, claim, running, given, handling.publisher());
    }

    /** Handles the rows and closes. */
    abstract void handle() throws Exception;

    void run() throws Exception {
        begun = shop.nanos.getAsLong();
        handle();
        shop.counters.handled.add(outcome().todo().size());
    }

    /** What became of the rows. */
    Attempt outcome() {
        if (last == null) {
            throw new IllegalStateException("nothing was attempted yet");
        }
        return last;
    }

    /** The lanes whose checkpoint was moved. */
    Map<Lane, Long> closed() {
        return closed;
    }

    /** An outage, or a wish to stop, that ended the batch early; what was handled before is closed. */
    @Nullable
    UnitFailed interruption() {
        return interruption;
    }

    void interrupted(UnitFailed by) {
        interruption = by;
    }

    /** A handler did not return: the lanes must get another epoch. */
    boolean givesLanesUp() {
        return givesLanesUp;
    }

    void giveLanesUp() {
        givesLanesUp = true;
    }

    /** Begins with the rows anew. */
    Attempt attempt() {
        last = new Attempt(shop, claim, read().upTo(togetherUpTo), suspects, flowing);
        return last;
    }

    /** From the next attempt on: only messages up to this position, and what follows in another batch. */
    void commitTogether(long upTo) {
        togetherUpTo = upTo;
    }

    /** They do not change any more, so whoever has them read ahead while the batch before was handled has the same. */
    private RowReader.Rows read() {
        RowReader.Rows read = rows;
        if (read == null) {
            read = claim.from() < claim.upTo()
                    ? shop.read(claim, claim.from())
                    : new RowReader.Rows(List.of(), claim.from());
            rows = read;
        }
        if (ahead == null && read.upTo() < claim.upTo()) {
            ahead = shop.readAhead(claim, read.upTo());
        }
        return read;
    }

    /** The rows after these, if there are more and all of these have been dealt with. */
    RowReader.@Nullable Rows ahead() {
        if (ahead == null || rows == null || outcome().upTo() != rows.upTo()) {
            return null;
        }
        try {
            return ahead.orTimeout(options.limit().toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException notRead) {
            return null; // the next batch reads for itself, and reports what is wrong
        }
    }

    boolean isCareful() {
        return claim.lanes().stream().anyMatch(lane -> lane.careful);
    }

    boolean isLongEnough() {
        return shop.stopping || shop.nanos.getAsLong() - begun > LONGEST.toNanos();
    }

    static boolean isOfOneKey(List<Message> unit) {
        String key = unit.get(0).key();
        return unit.stream().allMatch(message -> message.key().equals(key));
    }

    /** Units of one key overlap: what has been handled must not lie behind what has not. */
    static boolean isCleanCut(List<List<Message>> units, int at) {
        long handled = 0;
        for (List<Message> unit : units.subList(0, at)) {
            handled = Math.max(handled, unit.get(unit.size() - 1).position());
        }
        long next = Long.MAX_VALUE;
        for (List<Message> unit : units.subList(at, units.size())) {
            next = Math.min(next, unit.get(0).position());
        }
        return handled < next;
    }

    /** In a transaction of its own, or in none if there is nothing to close. */
    void closeAlone() throws Exception {
        Attempt attempt = outcome();
        if (attempt.passed().isEmpty() && flowing.isEmpty()) {
            closeAtOnce(attempt);
        } else {
            shop.inTransaction(connection ->
                    close(connection, shop.begin(connection, attempt.closing().keySet())));
        }
    }

    /** Moves the checkpoints, and nothing else. */
    void closeAtOnce(Attempt attempt) {
        closed = attempt.closing();
        if (!closed.isEmpty()) {
            shop.closeAtOnce(closed);
        }
    }

    /** Keys that are not set aside any more, once it is closed. */
    Map<String, Parked> flowing() {
        return flowing;
    }

    /** Fails unless every lane is still ours and where we left it. */
    void close(Connection connection, String token) throws SQLException {
        if (running.isGivenUp()) {
            throw new SQLException("given up", "57014");
        }
        Attempt attempt = outcome();
        if (attempt.closing().isEmpty()) {
            return;
        }
        moveCheckpoints(connection, token);
        if (!flowing.isEmpty()) {
            shop.sql.unpark(connection, shop.subscription, flowing.keySet());
        }
        if (!attempt.asides().isEmpty()) {
            shop.sql.park(
                    connection, shop.subscription, List.copyOf(attempt.asides().values()));
            shop.counters.setAside.add(attempt.asides().size());
        }
        List<Message> passed = attempt.passed();
        if (!passed.isEmpty()
                && shop.sql.passOver(
                                connection, shop.subscription, options.log().name(), passed)
                        != passed.size()) {
            throw new SQLException("a key was drained while one of its messages was passed over", "40001");
        }
    }

    void moveCheckpoints(Connection connection, String token) throws SQLException {
        closed = outcome().closing();
        shop.sql.close(connection, token, shop.leaseMillis(), closed);
    }
}
