package org.pgbaton.batch;

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
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.Suspect;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.Lane;
import org.pgbaton.log.Message;
import org.pgbaton.work.RowReader;
import org.pgbaton.work.WorkContext;

/**
 * One unit of work: the next rows of the lanes that were claimed, handled, and the checkpoints moved.
 *
 * <p>Rows are read in a transaction of their own; below the frontier they do not change.
 *
 * <p>In total order nothing can be passed over: the batch ends at the message that failed, and the lane waits for it.
 */
public abstract class Batch {
    /** After this time a batch is closed with what it has handled: takeovers and rebalances should not wait for slow handlers. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    final WorkContext work;
    final SubscriptionOptions options;
    final Claim claim;
    final HandlerWatch watch;
    final Map<String, Suspect> suspects = new HashMap<>();
    /** Keys that flow again with this batch; always the same, however often it is tried. */
    private final Map<String, AsideKey> flowing;
    /** Read once, however often they are tried. */
    private RowReader.@Nullable Rows rows;

    private final boolean readsAhead;
    private @Nullable CompletableFuture<RowReader.Rows> ahead;
    private @Nullable BatchAttempt last;
    private Map<Lane, Long> closed = Map.of();
    private final long begun;
    private @Nullable UnitFailed interruption;
    private boolean givesLanesUp;
    /** Messages behind this position are left to the next batch. */
    private long togetherUpTo = Long.MAX_VALUE;

    /**
     * What a batch starts with.
     *
     * @param flowing keys that are set aside, and flow again: nothing of them waits
     * @param rows if they have been read ahead already
     * @param readsAhead whether the rows after these will be wanted
     */
    public record Given(
            Map<String, Suspect> suspects,
            Map<String, AsideKey> flowing,
            RowReader.@Nullable Rows rows,
            boolean readsAhead) {}

    Batch(WorkContext work, Claim claim, HandlerWatch watch, Given given) {
        this.work = work;
        this.options = work.options();
        this.claim = claim;
        this.watch = watch;
        this.suspects.putAll(given.suspects());
        this.flowing = given.flowing();
        this.rows = given.rows();
        this.readsAhead = given.readsAhead();
        this.begun = work.now();
    }

    /** Handles the rows and closes. */
    public abstract void run() throws Exception;

    /** The last attempt at the rows. */
    public BatchAttempt outcome() {
        if (last == null) {
            throw new IllegalStateException("nothing was attempted yet");
        }
        return last;
    }

    /** How many messages were read for it, whatever became of them. */
    public int size() {
        return rows == null ? 0 : rows.messages().size();
    }

    /** The lanes whose checkpoint was moved. */
    public Map<Lane, Long> closed() {
        return closed;
    }

    /** An outage, or a wish to stop, that ended the batch early; what was handled before is closed. */
    @Nullable
    public UnitFailed interruption() {
        return interruption;
    }

    void interrupted(UnitFailed by) {
        interruption = by;
    }

    /** A handler did not return: the lanes must get another epoch. */
    public boolean givesLanesUp() {
        return givesLanesUp;
    }

    void giveLanesUp() {
        givesLanesUp = true;
    }

    /** Begins with the rows anew. */
    BatchAttempt attempt() {
        last = new BatchAttempt(
                options, work.calls(), work.slowKeys(), claim, read().upTo(togetherUpTo), suspects, flowing);
        return last;
    }

    /** From the next attempt on: only messages up to this position, and what follows in another batch. */
    void commitTogether(long upTo) {
        togetherUpTo = upTo;
    }

    /** Rows below the frontier do not change, so they can be read ahead while the batch before is handled. */
    private RowReader.Rows read() {
        RowReader.Rows read = rows;
        if (read == null) {
            read = claim.from() < claim.upTo()
                    ? work.reader().read(claim, claim.from())
                    : new RowReader.Rows(List.of(), claim.from());
            rows = read;
        }
        if (readsAhead && ahead == null && read.upTo() < claim.upTo()) {
            ahead = work.reader().readAhead(claim, read.upTo());
        }
        return read;
    }

    /** The rows after these, if there are more and all of these have been dealt with. */
    public RowReader.@Nullable Rows ahead() {
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
        return claim.lanes().stream().anyMatch(lane -> lane.isCareful());
    }

    /** Since it was made. */
    public long nanos() {
        return work.now() - begun;
    }

    boolean isLongEnough() {
        return work.calls().isStopping() || work.now() - begun > LONGEST.toNanos();
    }

    /** Units of one key can overlap. A batch may end here only if no handled message lies behind an unhandled one. */
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
        BatchAttempt attempt = outcome();
        if (attempt.passed().isEmpty() && flowing.isEmpty()) {
            closeAtOnce(attempt);
        } else {
            work.transactions()
                    .run(connection -> close(
                            connection,
                            work.transactions()
                                    .beginWork(connection, attempt.closing().keySet())));
        }
    }

    /**
     * The same for what has had its effect outside. If the checkpoint cannot be moved, as in a database that refuses to write, the lane remembers what was
     * handled, so that it is not handled again at every attempt.
     */
    void closeOrRemember() throws Exception {
        try {
            closeAlone();
        } catch (Exception notClosed) {
            outcome().todo().forEach(this::remember);
            throw notClosed;
        }
    }

    void remember(Message confirmed) {
        claim.laneOf(confirmed).confirm(confirmed.position());
    }

    /** Moves the checkpoints, and nothing else. */
    void closeAtOnce(BatchAttempt attempt) {
        closed = attempt.closing();
        if (!closed.isEmpty()) {
            work.transactions().closeAtOnce(closed);
        }
    }

    /** Keys that are not set aside any more, once it is closed. */
    public Map<String, AsideKey> flowing() {
        return flowing;
    }

    /** Fails unless every lane is still ours and where we left it. */
    void close(Connection connection, String token) throws SQLException {
        if (watch.isGivenUp()) {
            throw new SQLException("given up", "57014");
        }
        BatchAttempt attempt = outcome();
        if (attempt.closing().isEmpty()) {
            return;
        }
        moveCheckpoints(connection, token);
        if (!flowing.isEmpty()) {
            work.sql().unpark(connection, flowing.keySet());
        }
        if (!attempt.asides().isEmpty()) {
            work.sql().park(connection, attempt.asides().values());
            work.counters().addSetAside(attempt.asides().size());
        }
        List<Message> passed = attempt.passed();
        if (!passed.isEmpty()) {
            work.sql().passOver(connection, passed);
        }
    }

    void moveCheckpoints(Connection connection, String token) throws SQLException {
        closed = outcome().closing();
        work.sql().close(connection, token, closed);
    }
}
