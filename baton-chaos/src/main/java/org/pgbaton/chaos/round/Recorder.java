package org.pgbaton.chaos;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.targets.Arrival;
import org.pgbaton.chaos.targets.Target;
import org.pgbaton.chaos.worker.Part;

/** Writes the history of a round when it is over. */
final class Recorder {
    private Recorder() {}

    static History record(
            World world,
            List<History.Sample> samples,
            List<String> leftBehind,
            long before,
            @Nullable Duration calmAfter)
            throws Exception {
        List<History.Written> written = new ArrayList<>();
        List<History.Effect> effects = new ArrayList<>();
        List<History.Guarded> guarded = new ArrayList<>();
        List<History.Captured> captured = new ArrayList<>();
        Map<String, Long> accounts = new TreeMap<>();
        world.each(
                "SELECT position, key, id FROM public.written ORDER BY position",
                row -> written.add(new History.Written(row.getLong(1), row.getString(2), row.getString(3))));
        world.each(
                "SELECT at, subscription, position, key FROM public.handled ORDER BY nr",
                row -> effects.add(new History.Effect(
                        world.events().millis(row.getTimestamp(1)),
                        row.getString(2),
                        row.getLong(3),
                        row.getString(4))));
        world.each(
                "SELECT epoch, who FROM public.guarded ORDER BY nr",
                row -> guarded.add(new History.Guarded(row.getLong(1), row.getString(2))));
        if (world.scenario().has(Part.CAPTURE)) {
            world.each(
                    "SELECT key, version FROM public.account", row -> accounts.put(row.getString(1), row.getLong(2)));
            // What the projection of the capture's log handled, not what the log says: so both are judged.
            world.each(
                    "SELECT h.key, (a.payload->'after'->>'version')::bigint FROM public.handled h JOIN baton.account a USING (position)"
                            + " WHERE h.subscription = '" + Part.CAPTURE.subscription() + "' ORDER BY h.nr",
                    row -> captured.add(new History.Captured(row.getString(1), row.getLong(2))));
        }
        return new History(
                written,
                effects,
                arrivals(world),
                captured,
                accounts,
                guarded,
                samples,
                world.events().all(),
                world.claims(),
                leftBehind,
                before,
                world.scenario() == Scenario.ADOPTION ? OldOutbox.history(world) : History.Adoption.NONE,
                operations(world),
                calmAfter);
    }

    /** Recorded in the transaction that did it. */
    private static List<History.Operation> operations(World world) throws SQLException {
        List<History.Operation> operations = new ArrayList<>();
        world.each(
                """
                SELECT what, subject, coalesce(substring(detail FROM '^(?:message|to position) ([0-9]+)'), '0')::bigint
                  FROM baton.action WHERE what IN ('skip', 'rewind', 'delete') ORDER BY id""", row -> operations.add(new History.Operation(row.getString(1), row.getString(2), row.getLong(3))));
        return operations;
    }

    private static List<Arrival> arrivals(World world) throws Exception {
        List<Arrival> arrivals = new ArrayList<>();
        for (Target target : world.targets()) {
            arrivals.addAll(target.arrivals());
        }
        world.each(
                "SELECT key, id, epoch FROM public.reacted ORDER BY nr",
                row -> arrivals.add(
                        new Arrival(Part.REACTION.subscription(), row.getString(1), row.getString(2), row.getLong(3))));
        return arrivals;
    }
}
