package org.pgbaton.chaos.traffic;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.chaos.world.OldOutbox;
import org.pgbaton.testkit.TestDatabase;

/**
 * The relay that a team had before Baton: it polls the {@link OldOutbox}. It writes down what it sends in the transaction that marks the rows, so
 * it never sends a row twice.
 */
final class OldRelay implements AutoCloseable {
    private static final String SEND = """
            WITH taken AS (
              UPDATE public.old_outbox SET status = 'SENT'
               WHERE nr IN (SELECT nr FROM public.old_outbox WHERE status = 'PENDING' ORDER BY nr LIMIT 20) RETURNING nr, key)
            INSERT INTO public.handled (subscription, position, key) SELECT 'old relay', nr, key FROM taken ORDER BY nr""";

    private final TestDatabase database;
    private final Thread thread = new Thread(this::relay, "chaos-old-relay");
    private volatile boolean stopped;

    private OldRelay(TestDatabase database) {
        this.database = database;
    }

    static OldRelay start(TestDatabase database) {
        OldRelay relay = new OldRelay(database);
        relay.thread.setDaemon(true);
        relay.thread.start();
        return relay;
    }

    private void relay() {
        while (!stopped) {
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement()) {
                while (!stopped) {
                    statement.executeUpdate(SEND);
                    LockSupport.parkNanos(20_000_000);
                }
            } catch (SQLException away) {
                LockSupport.parkNanos(100_000_000);
            }
        }
    }

    @Override
    public void close() {
        stopped = true;
    }
}
