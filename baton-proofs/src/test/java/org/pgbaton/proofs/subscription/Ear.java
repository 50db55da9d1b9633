package org.pgbaton.proofs.subscription;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgbaton.Baton;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.TestDatabase;

/** A Baton with a subscription of its own that remembers when it saw each message. */
final class Ear implements AutoCloseable {
    private final Baton baton;
    private final Map<Long, Long> heard = new ConcurrentHashMap<>();

    Ear(TestDatabase database, String name) {
        baton = database.baton(name);
        Subscription unused = baton.subscription(name)
                .on("events")
                .react((message, delivery) -> heard.put(message.position(), System.nanoTime()))
                .start();
    }

    /** How long after that moment it saw the message. */
    Duration latency(long position, long since) {
        Eventually.isTrue(() -> heard.containsKey(position));
        return Duration.ofNanos(Math.max(0, heard.get(position) - since));
    }

    /** @return the position */
    static long append(Connection connection, String key) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO baton.events (key, payload) VALUES (?, '{}') RETURNING position")) {
            insert.setString(1, key);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** The process that sleeps and holds the doorbell; "null" if none does. */
    static String atTheDoorbell(TestDatabase database) throws SQLException {
        return database.one("""
                SELECT a.application_name FROM pg_locks k JOIN pg_stat_activity a USING (pid)
                 WHERE k.locktype = 'advisory' AND k.mode = 'ExclusiveLock' AND k.granted
                   AND k.classid = 'baton.events'::regclass AND k.objid = 4294967295
                   AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())""");
    }

    static void awaitSleep(TestDatabase database) {
        Eventually.isTrue(() -> isAsleep(database));
    }

    static boolean isAsleep(TestDatabase database) throws SQLException {
        return atTheDoorbell(database).startsWith("baton hub");
    }

    @Override
    public void close() {
        baton.close();
    }
}
