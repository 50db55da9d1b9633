package org.pgbaton.operator;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.pgbaton.handling.HandlerConnection;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.Transactions;

/**
 * Makes a target that was built beside the live one the live one, in one transaction: the old target's checkpoints are locked, so that it
 * stands still; the new one catches up; then the old one is retired and fenced. Thread-safe.
 */
final class SwitchOver {
    private static final Duration NEXT_LOOK = Duration.ofMillis(5);

    private final OperatorTransactions operator;

    SwitchOver(OperatorTransactions operator) {
        this.operator = operator;
    }

    long behindLive(String name, String target) {
        return operator.database()
                .call(
                        "compare targets of subscription '" + name + "'",
                        connection -> behind(
                                connection,
                                operator.find(connection, name, null),
                                operator.find(connection, name, target)));
    }

    private long behind(Connection connection, OperatorTransactions.Found live, OperatorTransactions.Found beside)
            throws SQLException {
        return operator.sql().number(connection, OperatorSql.BEHIND_LIVE, live.id(), beside.id());
    }

    void run(String name, String target, String reason, Duration patience, Transactions.Work alsoDo) {
        operator.changeWithThem(
                name, "switch over", reason, "to target '" + target + "'", (connection, live, theirs) -> {
                    OperatorTransactions.Found beside = operator.find(connection, name, target);
                    requireReady(connection, "Target '" + target + "' of subscription '" + name + "'", live, beside);
                    operator.lockCheckpoints(connection, live.id());
                    awaitCatchUp(connection, live, beside, patience);
                    operator.sql()
                            .run(connection, OperatorSql.RETIRE, "replaced by target '" + target + "'", live.id());
                    operator.sql().run(connection, OperatorSql.FENCE, live.id());
                    operator.sql().run(connection, OperatorSql.MAKE_LIVE, beside.id());
                    theirs.during(() -> also(alsoDo, connection));
                });
    }

    private void requireReady(
            Connection connection, String target, OperatorTransactions.Found live, OperatorTransactions.Found beside)
            throws SQLException {
        if (beside.id() == live.id()) {
            throw new SubscriptionException(target + " is live already.");
        }
        if (!beside.log().equals(live.log())) {
            throw new SubscriptionException(target + " reads log '" + beside.log() + "', and the live one '"
                    + live.log() + "': their positions cannot be compared.");
        }
        long parked = operator.sql().number(connection, OperatorSql.COUNT_PARKED, beside.id());
        if (parked > 0) {
            throw new SubscriptionException(target + " has " + parked + " parked keys: retry or skip them first.");
        }
    }

    private void awaitCatchUp(
            Connection connection,
            OperatorTransactions.Found live,
            OperatorTransactions.Found beside,
            Duration patience)
            throws SQLException {
        long end = System.nanoTime() + patience.toNanos();
        long behind = behind(connection, live, beside);
        while (behind > 0 || operator.sql().number(connection, OperatorSql.COUNT_ASIDE, beside.id()) > 0) {
            if (System.nanoTime() > end) {
                throw new SubscriptionException("The new target is still " + behind
                        + " positions behind, or has keys set aside: let it catch up, and try again.");
            }
            try {
                Thread.sleep(NEXT_LOOK.toMillis());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new SubscriptionException("Interrupted while the new target caught up; nothing was changed.");
            }
            behind = behind(connection, live, beside);
        }
    }

    private static void also(Transactions.Work alsoDo, Connection connection) throws SQLException {
        try {
            alsoDo.on(HandlerConnection.around(connection));
        } catch (SQLException | RuntimeException asItIs) {
            throw asItIs;
        } catch (Exception theirs) {
            throw new SubscriptionException("What was to be done with the switch failed: " + theirs.getMessage());
        }
    }
}
