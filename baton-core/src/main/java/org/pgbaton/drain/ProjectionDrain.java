package org.pgbaton.drain;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.pgbaton.handling.FailureVerdicts;
import org.pgbaton.handling.HandlerConnection;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.Lane;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.work.HandlerSavepoint;
import org.pgbaton.work.WorkContext;

/**
 * For a projection: all keys in one transaction. If one fails, everything is rolled back and done again, each unit behind a savepoint; what
 * failed is recorded in the same transaction.
 */
final class ProjectionDrain extends DrainRound {
    /** The handler and the settling have gone well, and COMMIT was sent. */
    private boolean committing;

    ProjectionDrain(WorkContext work, Lane lane, List<AsideKey> keys, HandlerWatch watch) {
        super(work, lane, keys, watch);
    }

    @Override
    void handle(Collection<KeyDrain> all) throws Exception {
        List<KeyDrain> open = new ArrayList<>(all);
        boolean carefully = false;
        while (!open.isEmpty()) {
            boolean behindSavepoints = carefully;
            open.forEach(KeyDrain::beginAnew);
            committing = false;
            try {
                work.transactions().ofHandler().run(connection -> handle(connection, open, behindSavepoints));
                settled();
                return;
            } catch (Exception thrown) {
                UnitFailed failed = UnitFailed.in(thrown);
                if (failed == null && committing && !watch.isGivenUp() && FailureVerdicts.mayBeAMessages(thrown)) {
                    if (carefully) {
                        narrow(open, thrown);
                    }
                    carefully = true;
                    continue;
                }
                if (failed == null && (carefully || !FailureVerdicts.isLeftFailed(thrown))) {
                    throw thrown;
                }
                if (failed != null && (failed.verdict() == Verdict.STOP || watch.isGivenUp())) {
                    throw failed;
                }
                if (failed != null && takeOut(failed, open, carefully)) {
                    break;
                }
                carefully = true;
            }
        }
        settleAlone();
    }

    /**
     * COMMIT fails, and no unit failed before it. Half as many keys are tried, then half as many messages, then a single one: that one has
     * failed.
     */
    private void narrow(List<KeyDrain> open, Exception thrown) {
        KeyDrain first = open.get(0);
        if (open.size() > 1) {
            List<KeyDrain> later = open.subList((open.size() + 1) / 2, open.size());
            later.forEach(KeyDrain::beginAnew);
            later.clear();
        } else if (first.handled.size() > 1) {
            first.most = first.handled.size() / 2;
        } else {
            UnitFailed failed = UnitFailed.of(List.copyOf(first.handled), thrown, options);
            first.beginAnew();
            first.failure = failed;
            open.clear();
        }
    }

    /**
     * Everything was rolled back. If it is known whose fault it is, the others are handled without that key.
     *
     * @return whether nothing else is to be handled now
     */
    private boolean takeOut(UnitFailed failed, List<KeyDrain> open, boolean carefully) {
        KeyDrain drain = drainOf(failed.unit().get(0));
        boolean isHead =
                drain.handled.isEmpty() && failed.isOfOneKey() && FailureVerdicts.isItsOwnFault(failed.getCause());
        int before = drain.handled.size();
        open.forEach(other -> other.handled.clear());
        if (failed.isOfTheWholeTarget()) {
            outage = failed;
        }
        if (outage == null && carefully && before > 0) {
            drain.most = before; // there are no savepoints: those before it are handled first, and then it is the head
        } else if (isHead || carefully || outage != null) {
            drain.failure = failed;
            open.remove(drain);
        }
        return outage != null;
    }

    private void handle(Connection connection, Collection<KeyDrain> open, boolean carefully) throws Exception {
        String token = work.transactions().beginWork(connection, lane);
        readHeads(connection, open);
        List<List<Message>> units = new ArrayList<>();
        open.forEach(drain -> units.addAll(options.handling().unitsOfOneKey(drain.waiting, false)));
        Connection guarded = HandlerConnection.around(connection);
        for (List<Message> unit : units) {
            KeyDrain drain = drainOf(unit.get(0));
            if (unit != units.get(0) && (isLongEnough() || !goesOn())) {
                break;
            }
            if (!drain.isOver()) {
                long start = work.now();
                apply(drain, unit, connection, guarded, carefully);
                drain.slow |= work.now() - start > options.slow().toNanos();
            }
        }
        if (hasSomethingToSettle()) {
            settle(connection, token);
            committing = !open.stream().allMatch(drain -> drain.handled.isEmpty());
        }
    }

    private void apply(KeyDrain drain, List<Message> unit, Connection connection, Connection guarded, boolean carefully)
            throws Exception {
        if (!carefully) {
            call(unit, connection, guarded);
            drain.handled.addAll(unit);
            return;
        }
        HandlerSavepoint before = new HandlerSavepoint(work, unit, connection);
        try {
            call(unit, connection, guarded);
            before.keep();
            drain.handled.addAll(unit);
        } catch (UnitFailed failed) {
            if (failed.isOfTheWholeTarget() || watch.isGivenUp()) {
                throw failed;
            }
            before.undo(failed);
            drain.failure = failed;
        }
    }

    private void call(List<Message> unit, Connection connection, Connection guarded) {
        work.calls().prepare(unit, lane, 1).apply(options, connection, guarded, watch, work.now());
    }
}
