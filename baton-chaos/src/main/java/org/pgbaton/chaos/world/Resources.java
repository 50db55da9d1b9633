package org.pgbaton.chaos.world;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.chaos.worker.Parts;

/**
 * What the processes of Baton hold, at a quiet moment.
 *
 * @param threads of that process which has most of them
 * @param kilobytes of the heap of that process which uses most of it
 * @param connections of all of them, without those of the campaign's own handlers
 * @param locks advisory locks of all of them
 * @param prepared transactions that nobody has ended
 */
public record Resources(long threads, long kilobytes, long connections, long locks, long prepared) {
    // Idle pools and threads end only after some seconds.
    private static final long MORE_THREADS = 24;
    private static final long MORE_KILOBYTES = 24_000;
    private static final long MORE_CONNECTIONS = 18;
    private static final long MORE_LOCKS = 60;

    public static Resources of(World world) throws SQLException, IOException, InterruptedException {
        long threads = 0;
        long kilobytes = 0;
        for (Worker worker : world.workers()) {
            Worker.Measure measure = worker.measure();
            threads = Math.max(threads, measure.threads());
            kilobytes = Math.max(kilobytes, measure.kilobytes());
        }
        return new Resources(
                threads,
                kilobytes,
                count(
                        world,
                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = '"
                                + Workers.USER + "' AND application_name <> '" + Parts.HANDLER + "'"),
                count(
                        world,
                        "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                                + " WHERE l.locktype = 'advisory' AND d.datname = current_database()"),
                count(world, "SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()"));
    }

    private static long count(World world, String sql) throws SQLException {
        return Long.parseLong(world.database().one(sql));
    }

    /** What there is more of now. */
    public List<String> leftBehind(Resources now) {
        List<String> more = new ArrayList<>();
        compare(more, "threads", threads, now.threads, MORE_THREADS);
        compare(more, "kilobytes of heap", kilobytes, now.kilobytes, MORE_KILOBYTES);
        compare(more, "connections", connections, now.connections, MORE_CONNECTIONS);
        compare(more, "advisory locks", locks, now.locks, MORE_LOCKS);
        compare(more, "prepared transactions", 0, now.prepared, 0);
        return more;
    }

    private static void compare(List<String> more, String what, long before, long after, long allowed) {
        if (after > before + allowed) {
            more.add(before + " " + what + " before, " + after + " after");
        }
    }
}
