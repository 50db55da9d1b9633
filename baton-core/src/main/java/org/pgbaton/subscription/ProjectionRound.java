package org.pgbaton.subscription;

import java.sql.Connection;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.pgbaton.log.Message;

/**
 * For a projection: all keys in one transaction. If one fails, everything is rolled back and done again, each unit behind a savepoint; what
 * failed is recorded in the same transaction.
 */
final class ProjectionRound extends Round {
    /** The handler and the settling have gone well, and COMMIT was sent. */
    private boolean committing;

    ProjectionRound(Workshop shop, Lane lane, List<Parked> keys, Running running) {
        super(shop, lane, keys, running);
    }

    @Override
    void handle(Collection<Course> all) throws Exception {
        List<Course> open = new ArrayList<>(all);
        boolean carefully = false;
        while (!open.isEmpty()) {
            boolean behindSavepoints = carefully;
            open.forEach(Course::beginAnew);
            committing = false;
            try {
                shop.inHandlersTransaction(connection -> handle(connection, open, behindSavepoints));
                settled();
                return;
            } catch (Exception thrown) {
                UnitFailed failed = UnitFailed.in(thrown);
                if (failed == null && committing && !running.isGivenUp() && Verdicts.mayBeAMessages(thrown)) {
                    if (carefully) {
                        narrow(open, thrown);
                    }
                    carefully = true;
                    continue;
                }
                if (failed == null && (carefully || !Verdicts.isLeftFailed(thrown))) {
                    throw thrown;
                }
                if (failed != null && (failed.verdict == Verdict.STOP || running.isGivenUp())) {
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
     * COMMIT refuses what was written, and nothing could be found before. Half as many keys are tried, then half as many messages, then one: it
     * has failed.
     */
    private void narrow(List<Course> open, Exception thrown) {
        Course first = open.get(0);
        if (open.size() > 1) {
            List<Course> later = open.subList((open.size() + 1) / 2, open.size());
            later.forEach(Course::beginAnew);
            later.clear();
        } else if (first.handled.size() > 1) {
            first.most = first.handled.size() / 2;
        } else {
            UnitFailed failed = shop.failed(List.copyOf(first.handled), thrown);
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
    private boolean takeOut(UnitFailed failed, List<Course> open, boolean carefully) {
        Course course = courseOf(failed.unit.get(0));
        boolean isHead =
                course.handled.isEmpty() && Batch.isOfOneKey(failed.unit) && Verdicts.isItsOwnFault(failed.getCause());
        open.forEach(other -> other.handled.clear());
        if (failed.isOfTheWholeTarget()) {
            outage = failed;
        }
        if (isHead || carefully || outage != null) {
            course.failure = failed;
            open.remove(course);
        }
        return outage != null;
    }

    private void handle(Connection connection, Collection<Course> open, boolean carefully) throws Exception {
        String token = shop.begin(connection, lane);
        readHeads(connection, open);
        List<List<Message>> units = new ArrayList<>();
        open.forEach(course -> units.addAll(options.handling().unitsOfOneKey(course.waiting, false)));
        Connection guarded = HandlerConnection.around(connection);
        for (List<Message> unit : units) {
            Course course = courseOf(unit.get(0));
            if (unit != units.get(0) && (isLongEnough() || !goesOn())) {
                break;
            }
            if (!course.isOver()) {
                long start = shop.nanos.getAsLong();
                apply(course, unit, connection, guarded, carefully);
                course.slow |= shop.nanos.getAsLong() - start > options.slow().toNanos();
            }
        }
        if (hasSomethingToSettle()) {
            settle(connection, token);
            committing = !open.stream().allMatch(course -> course.handled.isEmpty());
        }
    }

    private void apply(Course course, List<Message> unit, Connection connection, Connection guarded, boolean carefully)
            throws Exception {
        if (!carefully) {
            shop.apply(unit, lane, connection, guarded, running);
            course.handled.addAll(unit);
            return;
        }
        Savepoint before = connection.setSavepoint();
        try {
            shop.apply(unit, lane, connection, guarded, running);
            ProjectionBatch.check(shop, unit, connection);
            ProjectionBatch.release(unit, connection, before);
            course.handled.addAll(unit);
        } catch (UnitFailed failed) {
            if (failed.isOfTheWholeTarget() || running.isGivenUp()) {
                throw failed;
            }
            ProjectionBatch.whereItLeftUs(() -> connection.rollback(before));
            course.failure = failed;
        }
    }
}
