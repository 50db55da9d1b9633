package org.pgbaton.batch;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.handling.FailureVerdicts;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.Suspect;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.Lane;
import org.pgbaton.log.Message;
import org.pgbaton.session.Failpoint;
import org.pgbaton.subscription.FeedException;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.work.WorkContext;

/**
 * For a publisher with transactions: messages and progress become visible in the target together; then the checkpoint is moved in
 * PostgreSQL. After a crash in between, the next owner of the lane reads the progress in the target.
 *
 * <p>A message that is passed over is recorded <em>before</em> the target's transaction, because afterwards nobody would look for it. It is
 * then recorded even if the transaction fails, so a drain takes only messages up to the target's progress.
 */
final class FeedBatch extends Batch {
    private final Lane lane;

    FeedBatch(WorkContext work, Claim claim, HandlerWatch watch, Given given) {
        super(work, claim, watch, given);
        this.lane = claim.lanes().get(0);
    }

    @Override
    public void run() throws Exception {
        BatchAttempt attempt = attempt();
        while (!attempt.isEmpty()) {
            record(attempt);
            if (attempt.todo().isEmpty() || publish(attempt)) {
                close(attempt);
                return;
            }
            attempt = attempt();
        }
    }

    /** Messages that were passed over are recorded already. */
    private void close(BatchAttempt attempt) throws Exception {
        List<String> again = new ArrayList<>(flowing().keySet());
        again.removeAll(attempt.asides().keySet());
        if (again.isEmpty()) {
            closeAtOnce(attempt);
        } else {
            work.transactions().run(connection -> {
                String token = work.transactions().beginWork(connection, lane);
                moveCheckpoints(connection, token);
                work.sql().unpark(connection, again);
            });
        }
    }

    private void record(BatchAttempt attempt) throws Exception {
        if (attempt.passed().isEmpty()) {
            return;
        }
        work.transactions().runFenced(lane, connection -> {
            work.sql().setAside(connection, lane, attempt.asides().values(), attempt.passed());
        });
        work.counters().addSetAside(attempt.asides().size());
    }

    /** @return false if a message was refused: its key is to be set aside, and everything else to be tried again */
    private boolean publish(BatchAttempt attempt) {
        List<Message> todo = List.copyOf(attempt.todo());
        if (lane.isGone() || work.calls().isStopping() || !lane.tenure().isTrusted()) {
            throw new DatabaseException(Fault.FENCED, "The lane is given up.");
        }
        Message last = attempt.last();
        try {
            Failpoint.BEFORE_PUBLISH.pass();
            lane.feed().publish(todo, lane.delivery(options, 1), last);
            Failpoint.AFTER_PUBLISH.pass();
            lane.setPublished(last.position());
            return true;
        } catch (FeedException failed) {
            if (failed.kind() == FeedException.Kind.MESSAGE) {
                work.counters().addFailure();
                // Only the first of each key: the messages behind it are set aside with it.
                failed.allTroubled()
                        .forEach(troubled -> suspects.merge(
                                troubled.key(),
                                new Suspect(troubled.position(), failed.verdict(), FailureVerdicts.describe(failed)),
                                (one, other) -> one.position() <= other.position() ? one : other));
                return false;
            }
            if (failed.kind() == FeedException.Kind.LOST) {
                giveLanesUp();
            }
            throw new UnitFailed(todo, Verdict.OUTAGE, FailureVerdicts.describe(failed), failed);
        }
    }
}
