package org.pgbaton.batch;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.handling.FailureVerdicts;
import org.pgbaton.handling.HandlerConnection;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.Handling;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.Lane;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.work.HandlerSavepoint;
import org.pgbaton.work.WorkContext;

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

    /** Each unit behind a savepoint, to find out which one fails. */
    private boolean careful;

    /** Where a batch ends that has grown, while it is careful. */
    private long fewUpTo = Long.MAX_VALUE;

    ProjectionBatch(WorkContext work, Claim claim, HandlerWatch watch, Given given) {
        super(work, claim, watch, given);
    }

    @Override
    public void run() throws Exception {
        if (attempt().isEmpty()) { // read before the handler's transaction begins: it should be short
            return;
        }
        List<Message> all = outcome().todo();
        fewUpTo = all.size() > options.batch() ? all.get(options.batch() - 1).position() : Long.MAX_VALUE;
        if (!suspects.isEmpty() || isCareful()) {
            beCareful();
        }
        while (true) {
            committing = false;
            try {
                work.transactions().ofHandler().run(this::handle);
                return;
            } catch (Exception thrown) {
                UnitFailed failed = UnitFailed.in(thrown);
                if (failed == null && !careful && FailureVerdicts.isLeftFailed(thrown)) {
                    beCareful(); // the handler kept an error to itself; a savepoint will show which message it was
                    continue;
                }
                if (failed == null && mayBeAMessages(thrown)) {
                    failed = atCommit(thrown);
                    if (failed == null) {
                        if (!careful) {
                            beCareful();
                        }
                        continue;
                    }
                    commitTogether(fewUpTo);
                }
                if (failed == null) {
                    throw thrown;
                }
                if (endsTheBatch(failed)) {
                    throw failed;
                }
                if (failed.verdict() != Verdict.LATER) {
                    work.counters().addFailure();
                }
                if (failed.isOfOneKey() && (careful || FailureVerdicts.isItsOwnFault(failed.getCause()))) {
                    suspects.put(failed.unit().get(0).key(), failed.suspect());
                }
                if (!careful) {
                    beCareful();
                }
            }
        }
    }

    /** From now on a savepoint before each unit. Many of them slow the whole server down, so a batch that has grown is cut. */
    private void beCareful() {
        careful = true;
        commitTogether(fewUpTo);
        work.reader().failed();
    }

    private boolean mayBeAMessages(Exception thrown) {
        return committing && !watch.isGivenUp() && FailureVerdicts.mayBeAMessages(thrown);
    }

    /** @return null if it cannot be told yet which message it was */
    private @Nullable UnitFailed atCommit(Exception thrown) {
        List<Message> handled = outcome().todo();
        if (careful && handled.size() == 1) {
            return UnitFailed.of(handled, thrown, options);
        }
        if (careful && handled.size() > 1) {
            commitTogether(handled.get(handled.size() / 2 - 1).position());
        }
        return null;
    }

    private boolean endsTheBatch(UnitFailed failed) {
        return failed.isOfTheWholeTarget() || watch.isGivenUp();
    }

    private void handle(Connection connection) throws Exception {
        BatchAttempt attempt = attempt();
        String token =
                work.transactions().beginWork(connection, attempt.closing().keySet());
        Connection guarded = HandlerConnection.around(connection);
        Handling handling = options.handling();
        List<List<Message>> units = careful
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
            } else if (careful) {
                applyBehindSavepoint(attempt, unit, connection, guarded);
            } else {
                apply(unit, connection, guarded);
            }
        }
        close(connection, token);
        committing = true;
    }

    private void applyBehindSavepoint(
            BatchAttempt attempt, List<Message> unit, Connection connection, Connection guarded) throws SQLException {
        HandlerSavepoint before = new HandlerSavepoint(work, unit, connection);
        try {
            apply(unit, connection, guarded);
            before.keep();
        } catch (UnitFailed failed) {
            if (endsTheBatch(failed)) {
                throw failed;
            }
            before.undo(failed);
            work.counters().addFailure();
            attempt.setAside(unit, failed.suspect());
        }
    }

    private void apply(List<Message> unit, Connection connection, Connection guarded) {
        if (watch.isGivenUp()) {
            throw new UnitFailed(unit, Verdict.OUTAGE, "given up", new IllegalStateException());
        }
        Lane lane = claim.laneOf(unit.get(0));
        if (lane.isGone()) {
            throw new DatabaseException(Fault.FENCED, "The lane is not ours any more.");
        }
        long start = work.now();
        work.calls().prepare(unit, lane, 1).apply(options, connection, guarded, watch, start);
        boolean slow = work.now() - start > options.slow().toNanos();
        if (slow && options.handling().isOfOneKey() && !options.isTotal()) {
            work.slowKeys().add(unit.get(0).key());
        }
    }
}
