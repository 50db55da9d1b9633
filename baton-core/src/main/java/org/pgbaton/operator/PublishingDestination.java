package org.pgbaton.operator;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.LineLogger;
import org.pgbaton.subscription.SubscriptionException;
import org.slf4j.Logger;

/**
 * Where a relay publishes, as it is stored with it. Guarantee: of two configurations that give one relay's name to two destinations only one
 * runs; the other is refused with a sentence.
 *
 * <p>Protocol: 1. before joining, under the subscription's row lock: compare; if it differs, refuse while somebody of the other
 * configuration is alive, else store ours, as an action, because then somebody changed it on purpose; 2. after joining: compare again,
 * since another one may have done the same at the same time. Whoever stored it last goes on.
 *
 * <p>Thread-safe.
 */
public final class PublishingDestination {
    private static final Logger log = LineLogger.of(PublishingDestination.class);

    private static final String LOCKED =
            "SELECT publishes_to FROM ${schema}.subscription WHERE id = ? FOR NO KEY UPDATE";
    private static final String STORED = "SELECT publishes_to FROM ${schema}.subscription WHERE id = ?";
    private static final String STORE = "UPDATE ${schema}.subscription SET publishes_to = ? WHERE id = ?";

    private final OperatorTransactions operator;
    private final SubscriptionOptions options;
    private final int subscription;
    private final @Nullable String ours;

    public PublishingDestination(DatabaseAccess database, SubscriptionOptions options, int subscription) {
        this.operator = new OperatorTransactions(database);
        this.options = options;
        this.subscription = subscription;
        this.ours = options.handling().publishesTo();
    }

    /** @throws SubscriptionException if others run with another destination */
    public void claim() {
        if (ours == null) {
            return;
        }
        operator.database().call("compare where " + options + " publishes", connection -> {
            String stored = one(connection, LOCKED);
            if (ours.equals(stored)) {
                return true;
            }
            if (stored != null) {
                String alive = operator.alive(connection, subscription);
                if (alive != null) {
                    throw refusal(stored, alive);
                }
                log.warn("{} published to {} before, and publishes to {} from now on", options, stored, ours);
                operator.record(
                        connection,
                        "publish elsewhere",
                        options.name(),
                        "it was started with another configuration while no other process ran it",
                        "from " + stored + " to " + ours);
            }
            operator.sql().run(connection, STORE, ours, subscription);
            return true;
        });
    }

    /** @throws SubscriptionException if somebody with another destination was quicker */
    public void confirm() {
        if (ours == null) {
            return;
        }
        String stored = operator.database()
                .call("compare where " + options + " publishes", connection -> String.valueOf(one(connection, STORED)));
        if (!ours.equals(stored)) {
            throw refusal(stored, "another process");
        }
    }

    private SubscriptionException refusal(String theirs, String who) {
        return new SubscriptionException("The " + options + " publishes to " + theirs + " in " + who
                + ", and is configured here to publish to " + ours
                + ": two relays need two names. If its destination is to change, "
                + "stop the processes that run it with the other one first.");
    }

    private @Nullable String one(Connection connection, String sql) throws SQLException {
        return operator.sql().first(connection, sql, row -> row.getString(1), subscription);
    }
}
