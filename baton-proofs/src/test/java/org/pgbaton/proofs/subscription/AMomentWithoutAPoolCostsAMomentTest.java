package org.pgbaton.proofs.subscription;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A pool gives out no connection while a member opens its lanes. All lanes fail, but that is one outage and not
 * sixteen.
 */
@BatonTest
class AMomentWithoutAPoolCostsAMomentTest {
    private static final int LANES = 16;

    private static final class Pool extends PGSimpleDataSource {
        private static final long serialVersionUID = 1L;

        private final AtomicInteger refusals = new AtomicInteger();

        @Override
        public Connection getConnection() throws SQLException {
            if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new SQLTransientConnectionException("the pool is exhausted");
            }
            return super.getConnection();
        }
    }

    @Test
    void theLanesAreOpenedAgainSoon(TestDatabase database) throws Exception {
        Pool pool = new Pool();
        pool.setUrl(database.url());
        try (Baton baton = Baton.builder(pool, database::connect).open()) {
            baton.subscription("s")
                    .on("events")
                    .react((message, delivery) -> {})
                    .start();
            Eventually.isTrue(() -> lanesOwned(database) == LANES);
            String before = database.one("SELECT max(epoch) FROM baton.checkpoint");
            pool.refusals.set(LANES);
            // The lanes are lost with their session, taken again, and cannot be opened.
            database.terminate("baton session %");
            Eventually.isTrue(() -> pool.refusals.get() == 0);
            Eventually.isTrue(
                    Duration.ofSeconds(8),
                    () -> lanesOwned(database) == LANES
                            && database.one("SELECT min(epoch) > " + before + " FROM baton.checkpoint")
                                    .equals("t"));
            database.execute("INSERT INTO baton.events (payload) VALUES ('1')");
            database.drain("s", Duration.ofSeconds(8));
        }
    }

    private static int lanesOwned(TestDatabase database) throws SQLException {
        return Integer.parseInt(database.one("SELECT lanes_owned FROM baton.subscription_status WHERE name = 's'"));
    }
}
