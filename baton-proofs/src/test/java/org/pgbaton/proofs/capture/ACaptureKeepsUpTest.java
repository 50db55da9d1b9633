package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.ds.PGSimpleDataSource;

/** If rows change without a pause, a capture does not wait for a pause before it writes. */
@BatonTest
class ACaptureKeepsUpTest {
    /** Every statement takes so long that the capture's look at its surroundings takes longer than the time between two looks. */
    private static final class SlowPool extends PGSimpleDataSource {
        private static final long serialVersionUID = 1L;

        private volatile boolean isSlow;

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    SlowPool.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (isSlow && method.getName().equals("prepareStatement")) {
                            LockSupport.parkNanos(Duration.ofMillis(350).toNanos());
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException theirs) {
                            throw theirs.getCause();
                        }
                    });
        }
    }

    @Test
    void alsoWhenEveryQuestionTakesLong(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)");
        DatabaseUrl url = DatabaseUrl.parse(database.url());
        AtomicBoolean isOver = new AtomicBoolean();
        SlowPool pool = new SlowPool();
        pool.setUrl(database.url());
        try (Baton baton = Baton.builder(pool, url.connector())
                .replication(url)
                .migrate(false)
                .open()) {
            baton.capture("keeps_up").table("alert").start();
            Thread writer = new Thread(() -> write(database, isOver));
            writer.start();
            try {
                CapturedLog log = new CapturedLog(database, "keeps_up");
                log.awaitCount(1);
                pool.isSlow = true;
                // The capture has looked several times by now.
                log.awaitCount(100 + Long.parseLong(database.one("SELECT max(id) FROM alert")));
                assertThat(writer.isAlive()).as("nobody has paused").isTrue();
            } finally {
                isOver.set(true);
                writer.join();
            }
        }
    }

    private static void write(TestDatabase database, AtomicBoolean isOver) {
        try (Connection connection = database.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO alert DEFAULT VALUES")) {
            while (!isOver.get()) {
                insert.executeUpdate();
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
