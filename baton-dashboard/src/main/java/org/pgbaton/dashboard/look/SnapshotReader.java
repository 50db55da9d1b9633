package org.pgbaton.dashboard.look;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.leadership.LeaderStatus;

/** Takes one look, in one transaction of a few statements. Thread-safe. */
final class SnapshotReader {
    private final Rows rows;

    SnapshotReader(Rows rows) {
        this.rows = rows;
    }

    private record Joined(int subscription, Subscription.Member member) {}

    Snapshot read(long number) {
        return rows.atOnce("look at everything", connection -> {
            Instant now = rows.all(connection, SnapshotSql.NOW, row -> Rows.instantThere(row, "now"))
                    .get(0);
            Map<String, Long> ends = new TreeMap<>();
            rows.all(connection, SnapshotSql.ENDS, row -> ends.put(row.getString("name"), row.getLong("last")));
            return new Snapshot(
                    number,
                    now,
                    subscriptions(connection, ends),
                    rows.all(connection, SnapshotSql.LEADERS, SnapshotReader::leader),
                    rows.all(connection, SnapshotSql.CAPTURES, SnapshotReader::capture),
                    rows.all(connection, SnapshotSql.SCHEDULES, SnapshotReader::schedule),
                    Map.copyOf(ends),
                    null);
        });
    }

    private List<Subscription> subscriptions(Connection connection, Map<String, Long> ends) throws SQLException {
        Map<Integer, List<Lane>> lanes = rows.all(connection, SnapshotSql.LANES, SnapshotReader::lane).stream()
                .collect(Collectors.groupingBy(Lane::subscription));
        Map<Integer, List<Subscription.Member>> members = new HashMap<>(rows
                .all(
                        connection,
                        SnapshotSql.MEMBERS,
                        row -> new Joined(
                                row.getInt("subscription"),
                                new Subscription.Member(row.getString("who"), Rows.instantThere(row, "joined_at"))))
                .stream()
                .collect(Collectors.groupingBy(
                        Joined::subscription, Collectors.mapping(Joined::member, Collectors.toList()))));
        return rows.all(connection, SnapshotSql.SUBSCRIPTIONS, row -> {
            int id = row.getInt("id");
            String log = row.getString("log");
            return new Subscription(
                    id,
                    row.getString("name"),
                    row.getString("target"),
                    row.getBoolean("live"),
                    log,
                    row.getString("ordering"),
                    row.getString("state"),
                    row.getString("note"),
                    row.getString("publishes_to"),
                    Rows.instantThere(row, "created_at"),
                    ends.getOrDefault(log, 0L),
                    row.getInt("parked"),
                    row.getInt("aside"),
                    row.getLong("waiting"),
                    members.getOrDefault(id, List.of()),
                    lanes.getOrDefault(id, List.of()));
        });
    }

    private static Lane lane(ResultSet row) throws SQLException {
        return new Lane(
                row.getInt("subscription"),
                row.getInt("lane"),
                row.getLong("position"),
                row.getLong("epoch"),
                row.getString("owner"),
                Rows.instant(row, "owned_since"),
                Rows.instantThere(row, "advanced_at"),
                Rows.instant(row, "waiting_since"),
                row.getString("held_back_by"),
                row.getString("locked_by"));
    }

    private static LeaderStatus leader(ResultSet row) throws SQLException {
        Long vacant = Rows.number(row, "vacant_micros");
        return new LeaderStatus(
                row.getString("name"),
                row.getString("holder"),
                row.getLong("epoch"),
                Rows.instant(row, "since"),
                Rows.texts(row, "standby_names"),
                row.getString("previous_holder"),
                Rows.instant(row, "taken_over_at"),
                vacant == null ? null : Duration.ofNanos(vacant * 1000),
                row.getLong("changes"),
                row.getLong("key"));
    }

    private static Capture capture(ResultSet row) throws SQLException {
        return new Capture(
                row.getString("name"),
                row.getString("state"),
                row.getString("log"),
                Rows.texts(row, "tables"),
                Rows.texts(row, "operations"),
                row.getString("publication"),
                row.getBoolean("own_publication"),
                row.getString("slot"),
                row.getString("reader"),
                Rows.number(row, "epoch"),
                row.getLong("changes"),
                Rows.instant(row, "changed_at"),
                row.getString("wal_status"),
                Rows.number(row, "safe_wal_size"),
                Rows.number(row, "retained_bytes"),
                Rows.number(row, "behind_bytes"),
                row.getString("problem"),
                Rows.instant(row, "problem_since"),
                row.getString("warning"),
                row.getInt("gaps"),
                Rows.instantThere(row, "created_at"));
    }

    private static Schedule schedule(ResultSet row) throws SQLException {
        return new Schedule(
                row.getString("name"),
                row.getString("cron"),
                row.getString("zone"),
                row.getString("missed"),
                Rows.instantThere(row, "next_due"),
                row.getString("holder"),
                run(row));
    }

    private static Schedule.@Nullable Run run(ResultSet row) throws SQLException {
        Instant due = Rows.instant(row, "run_due");
        return due == null
                ? null
                : new Schedule.Run(
                        due,
                        Rows.instant(row, "run_started"),
                        Rows.instant(row, "run_ended"),
                        row.getString("run_outcome"),
                        row.getString("run_by"),
                        row.getString("run_error"));
    }
}
