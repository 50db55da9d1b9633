package org.pgbaton.chaos.load;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pgbaton.chaos.world.Resources;
import org.pgbaton.chaos.world.Rows;
import org.pgbaton.chaos.world.World;

/**
 * A look at everything that could grow.
 *
 * @param seconds since the load began
 * @param values by what they count
 */
record LoadSample(long seconds, Map<String, Long> values) {
    private static final String DATABASE = """
            SELECT (SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables WHERE schemaname = 'baton'),
                   (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) / 1024 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                     WHERE n.nspname = 'baton' AND c.relkind = 'r'),
                   (SELECT coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)), 0)::bigint / 1024 FROM pg_replication_slots),
                   (SELECT coalesce(sum(lag_positions), 0) FROM baton.subscription_status)""";
    /** Growth below this many times is noise: dead rows wait for VACUUM, the server keeps WAL until its next checkpoint. */
    private static final double NOISE = 2;

    /** Growth up to this much does not count. */
    private static final Map<String, Long> SLACK = Map.of(
            "threads", 20L,
            "heap kB", 30_000L,
            "connections", 20L,
            "advisory locks", 60L,
            "dead rows", 30_000L,
            "table kB", 60_000L,
            "retained WAL kB", 100_000L,
            "lag", 3_000L);

    static LoadSample take(World world, long seconds) throws SQLException, IOException, InterruptedException {
        Resources resources = Resources.of(world);
        Map<String, Long> values = new TreeMap<>();
        values.put("threads", resources.threads());
        values.put("heap kB", resources.kilobytes());
        values.put("connections", resources.connections());
        values.put("advisory locks", resources.locks());
        Rows.each(world.database(), DATABASE, row -> {
            values.put("dead rows", row.getLong(1));
            values.put("table kB", row.getLong(2));
            values.put("retained WAL kB", row.getLong(3));
            values.put("lag", row.getLong(4));
        });
        return new LoadSample(seconds, values);
    }

    /** What was more in the last quarter than in the second one, by far. */
    static List<String> growing(List<LoadSample> samples) {
        List<String> growing = new ArrayList<>();
        if (samples.size() < 8) {
            return growing;
        }
        SLACK.forEach((what, slack) -> {
            long early = median(samples, what, 1);
            long late = median(samples, what, 3);
            if (late > early * NOISE && late > early + slack) {
                growing.add(what + " grew: " + early + " in the second quarter, " + late + " in the last");
            }
        });
        return growing;
    }

    /** @param quarter 0 to 3 */
    static long median(List<LoadSample> samples, String what, int quarter) {
        int length = samples.size() / 4;
        List<Long> values = samples.subList(quarter * length, (quarter + 1) * length).stream()
                .map(sample -> sample.values.getOrDefault(what, 0L))
                .sorted()
                .toList();
        return values.get(values.size() / 2);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        values.forEach((what, value) -> text.append(text.isEmpty() ? "" : ", ")
                .append(value)
                .append(' ')
                .append(what));
        return text.toString();
    }
}
