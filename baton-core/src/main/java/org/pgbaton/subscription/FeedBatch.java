package org.pgbaton.subscription;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.log.Message;
import org.pgbaton.session.Failpoint;

/**
 * For a publisher with transactions: the messages and how far they go become visible together, there; then the checkpoint is moved here.
 * A crash in between leaves the checkpoint behind, and whoever takes the lane over reads in the target how far it was.
 *
 * <p>What is passed over is recorded here <em>before</em> the target's transaction passes over it: afterwards nobody would look for it.
 * It may then be recorded although the transaction failed; so messages beyond what the target has are not drained yet.
 */
final class FeedBatch extends Batch {
    private final Lane lane;

    FeedBatch(Workshop shop, Claim claim, Running running, Given given) {
        super(shop, claim, running, given);
        this.lane = claim.lanes().get(0);
    }

    @Override
    void handle() throws Exception {
        Attempt attempt = attempt();
        while (!attempt.isEmpty()) {
            record(attempt);
            if (attempt.todo().isEmpty() || publish(attempt)) {
                close(attempt);
                return;
            }
            attempt = attempt();
        }
    }

    /** What was passed over is recorded already. */
    private void close(Attempt attempt) throws Exception {
        List<String> again = new ArrayList<>(flowing().keySet());
        again.removeAll(attempt.asides().keySet());
        if (again.isEmpty()) {
            closeAtOnce(attempt);
        } else {
            shop.inTransaction(connection -> {
                String token = shop.begin(connection, lane);
                moveCheckpoints(connection, token);
                shop.sql.unpark(connection, shop.subscription, again);
            });
        }
    }

    private void record(Attempt attempt) throws Exception {
        if (attempt.passed().isEmpty()) {
            return;
        }
        shop.inFencedTransaction(lane, connection -> {
            shop.sql.setAside(connection, shop.subscription, options.log().name(), lane, attempt);
        });
        shop.counters.setAside.add(attempt.asides().size());
    }

    /** @return false if a message was refused: its key is to be set aside, and everything else to be tried again */
    private boolean publish(Attempt attempt) {
        List<Message> todo = List.copyOf(attempt.todo());
        if (lane.gone || shop.stopping || !lane.tenure.isTrusted()) {
            throw new DatabaseException(Fault.FENCED, "The lane is given up.");
        }
        Message last = last(attempt);
        try {
            Failpoint.BEFORE_PUBLISH.pass();
            lane.feed().publish(todo, shop.delivery(lane, 1), last);
            Failpoint.AFTER_PUBLISH.pass();
            lane.published = last.position();
            return true;
        } catch (FeedException failed) {
            if (failed.kind() == FeedException.Kind.MESSAGE) {
                shop.counters.failures.increment();
                // Of each key the first: what is behind it follows.
                failed.allTroubled()
                        .forEach(troubled -> suspects.merge(
                                troubled.key(),
                                new Suspect(troubled.position(), failed.verdict(), Workshop.describe(failed)),
                                (one, other) -> one.position() <= other.position() ? one : other));
                return false;
            }
            if (failed.kind() == FeedException.Kind.LOST) {
                giveLanesUp();
            }
            throw new UnitFailed(todo, Verdict.OUTAGE, Workshop.describe(failed), failed);
        }
    }

    /** Everything up to it is published, or recorded as passed over. */
    static Message last(Attempt attempt) {
        List<Message> all = new ArrayList<>(attempt.todo());
        all.addAll(attempt.passed());
        Message last = all.get(0);
        for (Message message : all) {
            last = message.position() > last.position() ? message : last;
        }
        return last;
    }
}
