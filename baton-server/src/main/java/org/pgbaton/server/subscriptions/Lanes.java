package org.pgbaton.server.subscriptions;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.subscription.SubscriptionStatus;

/** Reads the lanes of a subscription, and what a rewind would do to them. */
final class Lanes {
    /** Counting further would take too long before a confirmation. */
    static final long COUNTED_AT_MOST = 1_000_000;

    private static final String STATUS = """
            SELECT lane, owner, owned_since, position, epoch, waiting_since, held_back_by
              FROM ${schema}.lane_status WHERE name = ? AND target = ? ORDER BY lane""";

    private static final String AGAIN = """
            SELECT count(*) FROM (
              SELECT FROM ${schema}.subscription s
                JOIN ${schema}.checkpoint c ON c.subscription = s.id AND c.position > ?
                JOIN ${log} m ON (c.lane < 0 OR m.lane = c.lane) AND m.position > ? AND m.position <= c.position
               WHERE s.name = ? AND s.target = ? LIMIT ?) AS again""";

    private static final String RETAINED_ABOVE = "SELECT retained_above FROM ${schema}.log WHERE name = ?";

    /** One lane; −1 stands for all of them, in total order. */
    record Lane(
            int number,
            @Nullable String owner,
            @Nullable Instant since,
            long position,
            long epoch,
            @Nullable Instant waitingSince,
            @Nullable String heldBackBy) {
        Map<String, @Nullable Object> asMap() {
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            map.put("lane", number);
            map.put("owner", owner);
            map.put("ownedSince", since);
            map.put("position", position);
            map.put("epoch", epoch);
            map.put("waitingSince", waitingSince);
            map.put("heldBackBy", heldBackBy);
            return map;
        }
    }

    private final DatabaseUrl url;
    private final SchemaName schema;
    private final SubscriptionStatus subscription;

    Lanes(DatabaseUrl url, String schema, SubscriptionStatus subscription) {
        this.url = url;
        this.schema = new SchemaName(schema);
        this.subscription = subscription;
    }

    List<Lane> all() {
        return read(
                "read the lanes of subscription '" + subscription.name() + "'",
                STATUS,
                row -> {
                    List<Lane> lanes = new ArrayList<>();
                    while (row.next()) {
                        lanes.add(new Lane(
                                row.getInt(1),
                                row.getString(2),
                                instant(row, 3),
                                row.getLong(4),
                                row.getLong(5),
                                instant(row, 6),
                                row.getString(7)));
                    }
                    return lanes;
                },
                subscription.name(),
                subscription.target());
    }

    /** How many messages would be handled again after a rewind; {@link #COUNTED_AT_MOST} means that many or more. */
    long handledAgain(long position) {
        String sql = AGAIN.replace("${log}", schema.in("${schema}.\"" + subscription.log() + "\""));
        return read(
                "count the messages of log '" + subscription.log() + "'",
                sql,
                Lanes::number,
                position,
                position,
                subscription.name(),
                subscription.target(),
                COUNTED_AT_MOST);
    }

    /** The position up to which retention has removed messages. They cannot be handled again. */
    long retainedAbove() {
        return read("read log '" + subscription.log() + "'", RETAINED_ABOVE, Lanes::number, subscription.log());
    }

    private static long number(ResultSet row) throws SQLException {
        return row.next() ? row.getLong(1) : 0;
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    @FunctionalInterface
    private interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> T read(String doing, String sql, Reader<T> reader, Object... parameters) {
        try (Connection connection = url.connector().connect();
                PreparedStatement select = connection.prepareStatement(schema.in(sql))) {
            for (int i = 0; i < parameters.length; i++) {
                select.setObject(i + 1, parameters[i]);
            }
            try (ResultSet row = select.executeQuery()) {
                return reader.read(row);
            }
        } catch (SQLException failure) {
            throw DatabaseException.of(doing, failure);
        }
    }
}
