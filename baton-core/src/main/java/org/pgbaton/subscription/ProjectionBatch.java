package org.pgbaton.subscription;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.log.Message;

/**
 * For a projection, in one transaction: handle; close, which fails unless every lane is still ours and where we left it; commit. If
 * the handler fails, everything is rolled back and done again without the message that failed, each unit behind a savepoint; its key is
 * set aside in the same transaction.
 *
 * <p>What the handler wrote may be refused as late as at COMMIT: by a deferred constraint, by a transaction manager that writes only then.
 * Unless the database is away, that is the fault of one of the messages. Deferred constraints are checked after each unit, behind its
 * savepoint. If COMMIT still fails, fewer messages are committed together, half as many each time, down to one.
 */
final class ProjectionBatch extends Batch {
    /** The handler and the closing have gone well, and COMMIT was sent. */
    private boolean committing;

    ProjectionBatch(Workshop shop, Claim claim, Running running, Given given) {
        super(shop, claim, running, given);
    }

    @Override
    void handle() throws Exception {
        if (attempt().isEmpty()) { // read before the handler's transaction begins: it should be short
            return;
        }
        boolean careful = !suspects.isEmpty() || isCareful();
        while (true) {
            boolean carefully = careful;
            committing = false;
            try {
                shop.inHandlersTransaction(connection -> handle(connection, carefully));
                return;
            } catch (Exception thrown) {
                UnitFailed failed = UnitFailed.in(thrown);
                if (failed == null && !careful && Verdicts.isLeftFailed(thrown)) {
                    careful = true; // the handler kept an error to itself; a savepoint will show which message it was
                    continue;
                }
                if (failed == null && mayBeAMessages(thrown)) {
                    failed = atCommit(thrown, careful);
                    if (failed == null) {
                        careful = true;
                        continue;
                    }
                    commitTogether(Long.MAX_VALUE);
                }
                if (failed == null) {
                    throw thrown;
                }
                if (endsTheBatch(failed)) {
                    throw failed;
                }
                if (failed.verdict != Verdict.LATER) {
                    shop.counters.failures.increment();
                }
                if (isOfOneKey(failed.unit) && (careful || Verdicts.isItsOwnFault(failed.getCause()))) {
                    suspects.put(failed.unit.get(0).key(), failed.suspect());
                }
                careful = true;
            }
        }
    }

    private boolean mayBeAMessages(Exception thrown) {
        return committing && !running.isGivenUp() && Verdicts.mayBeAMessages(thrown);
    }

    /** @return null if it cannot be told yet which message it was */
    private @Nullable UnitFailed atCommit(Exception thrown, boolean careful) {
        List<Message> handled = outcome().todo();
        if (careful && handled.size() == 1) {
            return shop.failed(handled, thrown);
        }
        if (careful && handled.size() > 1) {
            commitTogether(handled.get(handled.size() / 2 - 1).position());
        }
        return null;
    }

    private boolean endsTheBatch(UnitFailed failed) {
        return failed.isOfTheWholeTarget() || running.isGivenUp();
    }

    private void handle(Connection connection, boolean carefully) throws Exception {
        Attempt attempt = attempt();
        String token = shop.begin(connection, attempt.closing().keySet());
        Connection guarded = HandlerConnection.around(connection);
        Handling handling = options.handling();
        List<List<Message>> units = carefully
                ? handling.unitsOfOneKey(List.copyOf(attempt.todo()), options.isTotal())
                : handling.units(List.copyOf(attempt.todo()), options.isTotal());
        for (int i = 0; i < units.size(); i++) {
            List<Message> unit = units.get(i);
            if (unit.get(0).position() > attempt.upTo()) {
                break; // total order, and one before it failed
            }
            if (i > 0 && isLongEnough() && isCleanCut(units, i)) {
                attempt.cutBefore(units.subList(i, units.size()));
                break;
            }
            if (handling.isOfOneKey() && attempt.isAside(unit.get(0).key())) {
                attempt.pass(unit);
            } else if (carefully) {
                applyBehindSavepoint(attempt, unit, connection, guarded);
            } else {
                apply(unit, connection, guarded);
            }
        }
        close(connection, token);
        committing = true;
    }

    private void applyBehindSavepoint(Attempt attempt, List<Message> unit, Connection connection, Connection guarded)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            apply(unit, connection, guarded);
            check(shop, unit, connection);
            release(unit, connection, before);
        } catch (UnitFailed failed) {
            if (endsTheBatch(failed)) {
                throw failed;
            }
            whereItLeftUs(() -> connection.rollback(before));
            shop.counters.failures.increment();
            attempt.setAside(unit, failed.suspect());
        }
    }

    /** Fails if what has been written so far violates a deferred constraint: the unit did that. */
    static void check(Workshop shop, List<Message> unit, Connection connection) throws SQLException {
        try {
            shop.sql.checkDeferred(connection);
        } catch (SQLException failed) {
            UnitFailed.ifLeftFailed(unit, failed);
            if (!Verdicts.mayBeAMessages(failed)) {
                throw failed;
            }
            throw shop.failed(unit, failed);
        }
    }

    static void release(List<Message> unit, Connection connection, Savepoint before) throws SQLException {
        try {
            whereItLeftUs(() -> connection.releaseSavepoint(before));
        } catch (SQLException failed) {
            throw UnitFailed.ifLeftFailed(unit, failed);
        }
    }

    @FunctionalInterface
    interface Ending {
        void run() throws SQLException;
    }

    /** @throws DatabaseException if the handler has ended the transaction in which the savepoint was */
    static void whereItLeftUs(Ending ending) throws SQLException {
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
        Lane lane = claim.laneOf(unit.get(0));
        if (lane.gone) {
            throw new DatabaseException(Fault.FENCED, "The lane is not ours any more.");
        }
        long start = shop.nanos.getAsLong();
        shop.apply(unit, lane, connection, guarded, running);
        boolean slow = shop.nanos.getAsLong() - start > options.slow().toNanos();
        if (slow && options.handling().isOfOneKey() && !options.isTotal()) {
            shop.slow(unit.get(0).key());
        }
    }
}
