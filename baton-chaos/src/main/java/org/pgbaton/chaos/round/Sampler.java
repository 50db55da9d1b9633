package org.pgbaton.chaos.round;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.history.Events;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.report.Look;
import org.pgbaton.chaos.report.TimeLine;
import org.pgbaton.testkit.TestDatabase;

/**
 * Looks at the checkpoints and the leaderships a few times a second, over a connection of its own. It leaves out what it cannot read while the server is
 * away. If it could never read everything, one of its queries is wrong, and {@link #stop} fails.
 */
final class Sampler implements AutoCloseable {
    private static final long EVERY_NANOS = 100_000_000;
    /** Read from tables and locks: the view of Baton is too slow for this, and would be a witness for itself. */
    private static final String LANES = """
            WITH locks AS MATERIALIZED (
              SELECT objid, pid FROM pg_locks
               WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = 'baton.checkpoint'::regclass
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
            SELECT s.name || CASE WHEN s.target = '' THEN '' ELSE '/' || s.target END, c.lane, c.position, c.epoch,
                   CASE WHEN EXISTS (SELECT FROM locks k WHERE k.objid = c.id::bigint::oid AND k.pid = coalesce(c.owner_pid, k.pid))
                        THEN c.owner END, s.log, s.live
              FROM baton.checkpoint c JOIN baton.subscription s ON s.id = c.subscription""";

    /** A process that has the lock and no term yet does not lead; the view shows the name of its session. */
    private static final String LEADERS =
            "SELECT name, epoch, CASE WHEN since IS NOT NULL THEN holder END FROM baton.leader_status";

    private static final String WAITING = """
            SELECT s.name || CASE WHEN s.target = '' THEN '' ELSE '/' || s.target END, sum(CASE WHEN c.lane < 0
                     THEN (SELECT count(*) FROM baton."${log}" e WHERE e.position > c.position)
                     ELSE (SELECT count(*) FROM generate_series(c.lane, l.lanes - 1, g.groups) n
                             JOIN baton."${log}" e ON e.lane = n AND e.position > c.position) END)
              FROM baton.checkpoint c
              JOIN baton.subscription s ON s.id = c.subscription
              JOIN baton.log l ON l.name = s.log
              JOIN (SELECT subscription, count(*)::integer AS groups FROM baton.checkpoint GROUP BY subscription) g
                ON g.subscription = c.subscription
             WHERE l.name = '${log}'
             GROUP BY s.id""";

    private final TestDatabase database;
    private final Events events;
    private final List<History.Sample> samples = new ArrayList<>();
    private final List<Look> looks = new ArrayList<>();
    private final List<Look.Waiting> waiting = new ArrayList<>();
    private final Thread thread = new Thread(this::look, "chaos-sampler");
    /** Only the sampler's thread: whether something has no owner in the look that it takes. */
    private boolean free;

    private volatile boolean stopped;
    private volatile boolean allOwned;
    private volatile boolean sawEverything;
    private volatile @Nullable SQLException failed;

    private Sampler(TestDatabase database, Events events) {
        this.database = database;
        this.events = events;
    }

    static Sampler start(TestDatabase database, Events events) {
        Sampler sampler = new Sampler(database, events);
        sampler.thread.setDaemon(true);
        sampler.thread.start();
        return sampler;
    }

    private void look() {
        while (!stopped) {
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement()) {
                while (!stopped) {
                    long begun = System.nanoTime();
                    free = false;
                    Set<String> logs = lookAtLanes(statement);
                    lookAtLeaders(statement);
                    allOwned = !free;
                    for (String log : logs) {
                        count(statement, log);
                    }
                    sawEverything = true;
                    LockSupport.parkNanos(EVERY_NANOS - (System.nanoTime() - begun));
                }
            } catch (SQLException away) {
                failed = away;
                LockSupport.parkNanos(EVERY_NANOS);
            }
        }
    }

    private Set<String> lookAtLanes(Statement statement) throws SQLException {
        Set<String> logs = new TreeSet<>();
        try (ResultSet row = statement.executeQuery(LANES)) {
            // Taken after the look: it cannot have seen what was done later.
            long millis = events.millis();
            while (row.next()) {
                History.Sample sample = new History.Sample(
                        millis, row.getString(1), row.getInt(2), row.getLong(3), row.getLong(4), row.getString(5));
                samples.add(sample);
                looks.add(new Look(
                        millis,
                        Look.Kind.SUBSCRIPTION,
                        sample.subscription(),
                        sample.lane(),
                        sample.owner(),
                        sample.epoch()));
                logs.add(row.getString(6));
                // A target that was replaced has no owner any more.
                free |= sample.owner() == null && row.getBoolean(7);
            }
        }
        return logs;
    }

    private void lookAtLeaders(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(LEADERS)) {
            long millis = events.millis();
            while (row.next()) {
                free |= row.getString(3) == null;
                samples.add(new History.Sample(
                        millis, "leadership " + row.getString(1), 0, 0, row.getLong(2), row.getString(3)));
                looks.add(
                        new Look(millis, Look.Kind.LEADERSHIP, row.getString(1), 0, row.getString(3), row.getLong(2)));
            }
        }
    }

    private void count(Statement statement, String log) throws SQLException {
        try (ResultSet row = statement.executeQuery(WAITING.replace("${log}", log))) {
            long millis = events.millis();
            while (row.next()) {
                waiting.add(new Look.Waiting(millis, row.getString(1), row.getLong(2)));
            }
        }
    }

    /** Whether there was a look at all of it. */
    boolean sawEverything() {
        return sawEverything;
    }

    /** Whether everything had an owner at the last look. */
    boolean sawAllOwned() {
        return allOwned;
    }

    List<History.Sample> stop() throws InterruptedException {
        stopped = true;
        thread.join();
        if (!sawEverything && failed != null) {
            throw new IllegalStateException("The sampler never saw everything: " + failed.getMessage(), failed);
        }
        return samples;
    }

    /** Of what was seen until it was stopped. */
    TimeLine timeLine() {
        return TimeLine.of(looks, waiting);
    }

    @Override
    public void close() {
        stopped = true;
    }
}
