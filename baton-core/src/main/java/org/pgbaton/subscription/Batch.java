package org.pgbaton.subscription;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.WorkSql.Aside;

/**
 * One unit of work: the next rows of the lanes that were claimed, handled, and the checkpoints moved.
 *
 * <p>Rows are read in a transaction of their own; below the frontier they do not change.
 *
 * <p>A projection, in one transaction: handle; close, which fails unless every lane is still ours and where we left it; commit. If
 * the handler fails, everything is rolled back and done again without the message that failed, each unit behind a savepoint; its key is
 * set aside in the same transaction.
 *
 * <p>A reaction: call the handler, outside any transaction; close in a transaction of its own. A crash in between
 * delivers again.
 *
 * <p>In total order nothing can be passed over: the batch ends at the message that failed, and the lane waits for it.
 */
final class Batch {
    /** From this message on a key is to be set aside. */
    record Suspect(long position, Verdict verdict, String error) {}

    /** Then it is closed with what it has: a takeover, a rebalance and a reader of the checkpoint should not wait for slow handlers. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final Workshop shop;
    private final Options options;
    private final Claim claim;
    private final Running running;
    private final Map<String, Suspect> suspects = new HashMap<>();
    /** Read once, however often they are tried. */
    private RowReader.@Nullable Rows rows;

    private @Nullable CompletableFuture<RowReader.Rows> ahead;

    // What the current attempt found; begun anew with each.
    private final List<Message> todo = new ArrayList<>();
    private final List<Message> passed = new ArrayList<>();
    private final Map<String, Aside> asides = new LinkedHashMap<>();
    private final Map<String, Call> inFlight = new HashMap<>();
    private final Map<Lane, Long> closed = new LinkedHashMap<>();
    private long upTo;

    private @Nullable UnitFailed interruption;
    private boolean givesLanesUp;
    private long begun;

    /** @param rows if they have been read ahead already */
    Batch(Workshop shop, Claim claim, Running running, Map<String, Suspect> known, RowReader.@Nullable Rows rows) {
        this.rows = rows;
        this.shop = shop;
        this.options = shop.options;
        this.claim = claim;
        this.running = running;
        this.suspects.putAll(known);
    }

    void run() throws Exception {
        begun = shop.nanos.getAsLong();
        if (options.handling().isProjection()) {
            project();
        } else {
            react();
        }
        if (!todo.isEmpty()) {
            shop.counters.handled.add(todo.size());
        }
    }

    long upTo() {
        return upTo;
    }

    /** The lanes whose checkpoint was moved. */
    Map<Lane, Long> closed() {
        return closed;
    }

    Map<String, Aside> asides() {
        return asides;
    }

    @Nullable
    Call inFlight(String key) {
        return inFlight.get(key);
    }

    /** An outage, or a wish to stop, that ended the batch early; what was handled before is closed. */
    @Nullable
    UnitFailed interruption() {
        return interruption;
    }

    /** A handler did not return: the lanes must get another epoch. */
    boolean givesLanesUp() {
        return givesLanesUp;
    }

    // ---- projections

    private void project() throws Exception {
        sort(read()); // before the handler's transaction begins: it should be short
        if (todo.isEmpty() && passed.isEmpty()) {
            return;
        }
        boolean careful = !suspects.isEmpty() || claim.lanes().stream().anyMatch(lane -> lane.careful);
        while (true) {
            boolean carefully = careful;
            try {
                shop.inHandlersTransaction(connection -> project(connection, carefully));
                return;
            } catch (Exception thrown) {
                UnitFailed failed = UnitFailed.in(thrown);
                if (failed == null && !careful && Verdicts.isLeftFailed(thrown)) {
                    careful = true; // the handler kept an error to itself; a savepoint will show which message it was
                    continue;
                }
                if (failed == null) {
                    throw thrown;
                }
                if (failed.verdict == Verdict.OUTAGE || failed.verdict == Verdict.STOP || running.isGivenUp()) {
                    throw failed;
                }
                shop.counters.failures.increment();
                if (isOfOneKey(failed.unit) && (careful || Verdicts.isItsOwnFault(failed.getCause()))) {
                    suspect(failed);
                }
                careful = true;
            }
        }
    }

    private Lane anyLane() {
        return claim.lanes().get(0);
    }

    private static boolean isOfOneKey(List<Message> unit) {
        String key = unit.get(0).key();
        return unit.stream().allMatch(message -> message.key().equals(key));
    }

    private void suspect(UnitFailed failed) {
        Message first = failed.unit.get(0);
        suspects.put(first.key(), new Suspect(first.position(), failed.verdict, String.valueOf(failed.getMessage())));
    }

    private void project(Connection connection, boolean carefully) throws Exception {
        String token = shop.begin(connection, anyLane());
        sort(read());
        Connection guarded = HandlerConnection.around(connection);
        Handling handling = options.handling();
        List<List<Message>> units = carefully
                ? handling.unitsOfOneKey(List.copyOf(todo), options.isTotal())
                : handling.units(List.copyOf(todo), options.isTotal());
        for (int i = 0; i < units.size(); i++) {
            List<Message> unit = units.get(i);
            if (unit.get(0).position() > upTo) {
                break; // total order, and one before it failed
            }
            if (i > 0 && isLongEnough() && isCleanCut(units, i)) {
                cutBefore(units.subList(i, units.size()));
                break;
            }
            if (asides.containsKey(unit.get(0).key()) && handling.isOfOneKey()) {
                pass(unit);
            } else if (carefully) {
                applyBehindSavepoint(unit, connection, guarded);
            } else {
                apply(unit, connection, guarded);
            }
        }
        close(connection, token);
    }

    /** Units of one key overlap: what has been handled must not lie behind what has not. */
    private static boolean isCleanCut(List<List<Message>> units, int at) {
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

    private boolean isLongEnough() {
        return shop.stopping || shop.nanos.getAsLong() - begun > LONGEST.toNanos();
    }

    private void applyBehindSavepoint(List<Message> unit, Connection connection, Connection guarded)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            apply(unit, connection, guarded);
            release(unit, connection, before);
        } catch (UnitFailed failed) {
            if (failed.verdict == Verdict.OUTAGE || failed.verdict == Verdict.STOP || running.isGivenUp()) {
                throw failed;
            }
            whereItLeftUs(() -> connection.rollback(before));
            shop.counters.failures.increment();
            setAside(unit, new Suspect(unit.get(0).position(), failed.verdict, String.valueOf(failed.getMessage())));
        }
    }

    private static void release(List<Message> unit, Connection connection, Savepoint before) throws SQLException {
        try {
            whereItLeftUs(() -> connection.releaseSavepoint(before));
        } catch (SQLException failed) {
            if (Verdicts.isLeftFailed(failed)) {
                throw new UnitFailed(
                        unit,
                        Verdict.RETRY,
                        "The handler kept an SQL error to itself, and left its transaction failed.",
                        failed);
            }
            throw failed;
        }
    }

    @FunctionalInterface
    private interface Ending {
        void run() throws SQLException;
    }

    /** @throws DatabaseException if the handler has ended the transaction in which the savepoint was */
    private static void whereItLeftUs(Ending ending) throws SQLException {
        try {
            ending.run();
        } catch (SQLException gone) {
            if (Fault.of(gone) == Fault.UNSUITABLE) {
                throw new DatabaseException(
                        Fault.UNSUITABLE,
                        "The handler ended the transaction it was given: its writes and the checkpoint commit together, "
                                + "and Baton does that.");
            }
            throw gone;
        }
    }

    private void apply(List<Message> unit, Connection connection, Connection guarded) {
        if (running.isGivenUp()) {
            throw new UnitFailed(unit, Verdict.OUTAGE, "given up", new IllegalStateException());
        }
        long start = shop.nanos.getAsLong();
        running.begin(unit, connection, start);
        @Nullable Throwable failure = null;
        try {
            options.handling().apply(unit, guarded);
        } catch (Throwable theirs) {
            failure = theirs;
        }
        boolean late = running.end();
        Duration took = Duration.ofNanos(shop.nanos.getAsLong() - start);
        if (late) {
            throw new UnitFailed(
                    unit, Verdict.RETRY, tooLate(), failure == null ? new IllegalStateException() : failure);
        }
        if (failure != null) {
            throw new UnitFailed(unit, shop.verdictOn(failure), Workshop.describe(failure), failure);
        }
        if (options.handling().isOfOneKey() && !options.isTotal() && took.compareTo(options.slow()) > 0) {
            shop.slow(unit.get(0).key());
        }
    }

    private String tooLate() {
        return "The handler took longer than its limit of " + options.limit().toSeconds() + " s, and was interrupted.";
    }

    // ---- reactions

    private void react() throws Exception {
        sort(read());
        boolean careful = claim.lanes().stream().anyMatch(lane -> lane.careful);
        List<List<Message>> units = careful
                ? options.handling().unitsOfOneKey(List.copyOf(todo), options.isTotal())
                : options.handling().units(List.copyOf(todo), options.isTotal());
        for (int i = 0; i < units.size(); i++) {
            List<Message> unit = units.get(i);
            if (unit.get(0).position() > upTo) {
                break; // total order, and one before it failed
            }
            if (asides.containsKey(unit.get(0).key()) && options.handling().isOfOneKey()) {
                pass(unit);
            } else if (unit.get(0).position() <= upTo
                    && ((i > 0 && isLongEnough() && isCleanCut(units, i)) || !call(unit))) {
                cutBefore(units.subList(i, units.size()));
                break;
            }
        }
        if (!todo.isEmpty() || !passed.isEmpty()) {
            try {
                shop.inTransaction(connection -> close(connection, shop.begin(connection, anyLane())));
            } catch (Exception unclear) {
                inFlight.values().forEach(this::endUnrecorded);
                throw unclear;
            }
        }
    }

    /** A slow call that may not be recorded as such: its message must not be called again while it runs. */
    private void endUnrecorded(Call slow) {
        try {
            if (!slow.awaitEnd(options.limit())) {
                slow.interrupt();
                givesLanesUp |= !slow.awaitEnd(Workshop.GRACE);
            }
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
            givesLanesUp = true;
        }
    }

    /** @return false if nothing more is to be handled, not even this unit */
    private boolean call(List<Message> unit) throws InterruptedException {
        Lane lane = claim.laneOf(unit.get(0));
        if (lane.gone || shop.stopping || !lane.tenure.isTrusted()) {
            return false;
        }
        Call call = shop.call(unit, lane, 1);
        boolean canWaitAside = options.handling().isOfOneKey() && !options.isTotal();
        boolean ended = call.awaitEnd(canWaitAside ? options.slow() : options.limit());
        if (!ended && canWaitAside) {
            inFlight.put(unit.get(0).key(), call);
            asides.put(unit.get(0).key(), new Aside(lane, unit.get(0).key(), "slow", null, 0));
            pass(unit);
            return true;
        }
        if (!ended) {
            call.interrupt();
            givesLanesUp = !call.awaitEnd(Workshop.GRACE);
            return failed(unit, Verdict.RETRY, tooLate(), new IllegalStateException("too late"));
        }
        Throwable failure = call.failure();
        return failure == null || failed(unit, shop.verdictOn(failure), Workshop.describe(failure), failure);
    }

    private boolean failed(List<Message> unit, Verdict verdict, String error, Throwable failure)
            throws InterruptedException {
        if (verdict == Verdict.OUTAGE || verdict == Verdict.STOP || (givesLanesUp && !isOfOneKey(unit))) {
            interruption = new UnitFailed(unit, verdict == Verdict.STOP ? verdict : Verdict.OUTAGE, error, failure);
            return false;
        }
        shop.counters.failures.increment();
        if (isOfOneKey(unit)) {
            setAside(unit, new Suspect(unit.get(0).position(), verdict, error));
            return true;
        }
        for (List<Message> ofOneKey : options.handling().unitsOfOneKey(unit, options.isTotal())) {
            if (ofOneKey.get(0).position() <= upTo && !call(ofOneKey)) {
                return false;
            }
        }
        return true;
    }

    /** A slow call whose message falls behind the cut would be called again while it still runs: it gets its time first. */
    private void cutBefore(List<List<Message>> unhandled) throws InterruptedException {
        long first = Long.MAX_VALUE;
        for (List<Message> unit : unhandled) {
            for (Message message : unit) {
                first = Math.min(first, message.position());
            }
        }
        endAt(first - 1);
        Set<String> recorded = new HashSet<>();
        passed.forEach(message -> recorded.add(message.key()));
        for (String key : List.copyOf(asides.keySet())) {
            if (!recorded.contains(key)) {
                asides.remove(key);
                Call slow = inFlight.remove(key);
                if (slow != null && !slow.awaitEnd(options.limit())) {
                    slow.interrupt();
                    givesLanesUp = true;
                }
            }
        }
    }

    // ---- both

    /** They do not change any more, so whoever has them read ahead while the batch before was handled has the same. */
    private RowReader.Rows read() {
        RowReader.Rows read = rows;
        if (read == null) {
            read = shop.read(claim, claim.from());
            rows = read;
        }
        if (ahead == null && read.upTo() < claim.upTo()) {
            ahead = shop.readAhead(claim, read.upTo());
        }
        return read;
    }

    /** The rows after these, if there are more and all of these have been dealt with. */
    RowReader.@Nullable Rows ahead() {
        if (ahead == null || rows == null || upTo != rows.upTo()) {
            return null;
        }
        try {
            return ahead.orTimeout(options.limit().toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException notRead) {
            return null; // the next batch reads for itself, and reports what is wrong
        }
    }

    /** Into what is to be handled and what belongs to keys that are set aside. */
    private void sort(RowReader.Rows rows) {
        todo.clear();
        passed.clear();
        asides.clear();
        inFlight.clear();
        closed.clear();
        upTo = rows.upTo();
        for (Message message : rows.messages()) {
            if (message.position() > upTo) {
                break;
            }
            if (!claim.concerns(message)) {
                continue;
            }
            Suspect suspect = suspects.get(message.key());
            if (claim.laneOf(message).parked.containsKey(message.key()) || asides.containsKey(message.key())) {
                passed.add(message);
            } else if (suspect != null && message.position() >= suspect.position) {
                setAside(List.of(message), suspect);
            } else if (shop.slowKeys.contains(message.key())) {
                asides.put(message.key(), new Aside(claim.laneOf(message), message.key(), "slow", null, 0));
                passed.add(message);
            } else {
                todo.add(message);
            }
        }
    }

    private void setAside(List<Message> unit, Suspect why) {
        Message first = unit.get(0);
        boolean forGood = why.verdict == Verdict.PARK || options.attempts() <= 1;
        long wait = options.pauseAfter(1).toMillis();
        asides.put(
                first.key(),
                new Aside(claim.laneOf(first), first.key(), forGood ? "parked" : "retrying", why.error, wait));
        pass(unit);
        if (options.isTotal()) {
            endAt(unit.get(unit.size() - 1).position());
        }
    }

    private void pass(List<Message> unit) {
        passed.addAll(unit);
        todo.removeAll(unit);
    }

    private void endAt(long position) {
        upTo = Math.min(upTo, position);
        todo.removeIf(message -> message.position() > upTo);
        passed.removeIf(message -> message.position() > upTo);
    }

    private void close(Connection connection, String token) throws SQLException {
        if (running.isGivenUp()) {
            throw new SQLException("given up", "57014");
        }
        Set<Lane> concerned = new HashSet<>();
        todo.forEach(message -> concerned.add(claim.laneOf(message)));
        passed.forEach(message -> concerned.add(claim.laneOf(message)));
        for (Lane lane : claim.lanes()) {
            if (concerned.contains(lane)) {
                closed.put(lane, claim.reached(lane, upTo));
            }
        }
        if (closed.isEmpty()) {
            return;
        }
        shop.sql.close(
                connection, token, shop.leaseMillis(), List.copyOf(closed.keySet()), List.copyOf(closed.values()));
        if (!asides.isEmpty()) {
            shop.sql.park(connection, shop.subscription, List.copyOf(asides.values()));
            shop.counters.setAside.add(asides.size());
        }
        if (!passed.isEmpty()
                && shop.sql.passOver(
                                connection, shop.subscription, options.log().name(), passed)
                        != passed.size()) {
            throw new SQLException("a key was drained while one of its messages was passed over", "40001");
        }
    }
}
