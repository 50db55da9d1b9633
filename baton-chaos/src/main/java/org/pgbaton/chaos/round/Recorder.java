package org.pgbaton.chaos.round;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.targets.Arrival;
import org.pgbaton.chaos.targets.Target;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.world.OldOutbox;
import org.pgbaton.chaos.world.Rows;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.World;

/** Writes the history of a round when it is over. */
final class Recorder {
    private Recorder() {}

    /** @param before effects and arrivals that were there when the fault began */
    static History record(
            World world,
            List<History.Sample> samples,
            List<String> leftBehind,
            long before,
            @Nullable Duration calmAfter)
            throws Exception {
        return new History(
                written(world),
                effects(world),
                arrivals(world),
                captured(world),
                capturedRows(world),
                accounts(world),
                guarded(world),
                samples,
                world.events().all(),
                world.claims(),
                leftBehind,
                before,
                world.scenario() == Scenario.ADOPTION ? OldOutbox.history(world.database()) : History.Adoption.NONE,
                operations(world),
                witnessed(world),
                calmAfter);
    }

    private static List<History.Written> written(World world) throws SQLException {
        List<History.Written> written = new ArrayList<>();
        Rows.each(
                world.database(),
                "SELECT position, key, id FROM public.written ORDER BY position",
                row -> written.add(new History.Written(row.getLong(1), row.getString(2), row.getString(3))));
        return written;
    }

    private static List<History.Effect> effects(World world) throws SQLException {
        List<History.Effect> effects = new ArrayList<>();
        Rows.each(
                world.database(),
                "SELECT at, subscription, position, key FROM public.handled ORDER BY nr",
                row -> effects.add(new History.Effect(
                        world.events().millis(row.getTimestamp(1)),
                        row.getString(2),
                        row.getLong(3),
                        row.getString(4))));
        return effects;
    }

    private static List<History.Guarded> guarded(World world) throws SQLException {
        List<History.Guarded> guarded = new ArrayList<>();
        Rows.each(
                world.database(),
                "SELECT epoch, who FROM public.guarded ORDER BY nr",
                row -> guarded.add(new History.Guarded(row.getLong(1), row.getString(2))));
        return guarded;
    }

    private static Map<String, Long> accounts(World world) throws SQLException {
        Map<String, Long> accounts = new TreeMap<>();
        if (world.scenario().has(Part.CAPTURE)) {
            Rows.each(
                    world.database(),
                    "SELECT key, version FROM public.account",
                    row -> accounts.put(row.getString(1), row.getLong(2)));
        }
        return accounts;
    }

    /** What the projection of the capture's log handled, not what the log says: so both are judged. */
    private static List<History.Captured> captured(World world) throws SQLException {
        List<History.Captured> captured = new ArrayList<>();
        if (world.scenario().has(Part.CAPTURE)) {
            Rows.each(
                    world.database(),
                    "SELECT h.key, (a.payload->'after'->>'version')::bigint FROM public.handled h JOIN baton.account a USING (position)"
                            + " WHERE h.subscription = '" + Part.CAPTURE.subscription() + "' ORDER BY h.nr",
                    row -> captured.add(new History.Captured(row.getString(1), row.getLong(2))));
        }
        return captured;
    }

    private static List<History.Written> capturedRows(World world) throws SQLException {
        List<History.Written> rows = new ArrayList<>();
        if (world.scenario().has(Part.CAPTURE)) {
            Rows.each(
                    world.database(),
                    "SELECT position, key, id FROM baton." + Part.ACCOUNTS + " ORDER BY position",
                    row -> rows.add(new History.Written(row.getLong(1), row.getString(2), row.getString(3))));
        }
        return rows;
    }

    /** From the record that Baton writes in the transaction of each action. */
    private static List<History.Operation> operations(World world) throws SQLException {
        List<History.Operation> operations = new ArrayList<>();
        Rows.each(
                world.database(),
                """
                SELECT what, subject, coalesce(substring(detail FROM '^(?:message|to position) ([0-9]+)'), '0')::bigint
                  FROM baton.action WHERE what IN ('skip', 'rewind', 'delete') ORDER BY id""",
                row -> operations.add(new History.Operation(row.getString(1), row.getString(2), row.getLong(3))));
        return operations;
    }

    private static List<History.Witnessed> witnessed(World world) throws SQLException {
        List<History.Witnessed> witnessed = new ArrayList<>();
        Rows.each(
                world.database(),
                "SELECT invariant, what FROM public.witness ORDER BY nr",
                row -> witnessed.add(new History.Witnessed(row.getString(1), row.getString(2))));
        Rows.each(
                world.database(),
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database() AND deadlocks > 0",
                row -> witnessed.add(new History.Witnessed("I9", row.getLong(1) + " deadlocks")));
        return witnessed;
    }

    private static List<Arrival> arrivals(World world) throws Exception {
        List<Arrival> arrivals = new ArrayList<>();
        for (Target target : world.targets()) {
            arrivals.addAll(target.arrivals());
        }
        Rows.each(
                world.database(),
                "SELECT key, id, epoch FROM public.reacted ORDER BY nr",
                row -> arrivals.add(
                        new Arrival(Part.REACTION.subscription(), row.getString(1), row.getString(2), row.getLong(3))));
        return arrivals;
    }
}
