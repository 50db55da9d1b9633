package org.pgbaton.dashboard.look;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.http.RefusedException;

/**
 * Finds messages by id, position or key, and says where they are. A search by key looks at the latest rows of the key's lane only, because logs
 * have no index by key. Thread-safe.
 */
public final class MessageSearch {
    /** So many rows of a lane are looked through for a key. */
    public static final int LOOKED_THROUGH = 20_000;

    private static final int MOST = 20;
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final int LONGEST_PAYLOAD = 20_000;
    private static final Pattern POSITION = Pattern.compile("[0-9]{1,18}");

    private static final String COLUMNS = "position, id, lane, key, topic, type, left(headers::text, 4000) AS headers,"
            + " left(payload::text, " + LONGEST_PAYLOAD
            + ") AS json, coalesce(octet_length(payload::text), length(data)) AS bytes, recorded_at";

    private static final String LOGS = "SELECT name, lanes FROM ${schema}.log ORDER BY name";

    private static final String BY_ID = "SELECT %s FROM %s WHERE id = ?";
    private static final String BY_POSITION = "SELECT %s FROM %s WHERE position = ?";
    private static final String BY_KEY = """
            SELECT %s FROM (SELECT * FROM %s WHERE lane = ${schema}.lane_of(?, ?) ORDER BY position DESC LIMIT ?) latest
             WHERE key = ? ORDER BY position DESC LIMIT ?""";

    private static final String ASIDE = """
            SELECT p.subscription, m.position, p.state, p.attempts, p.next_attempt_at,
                   (SELECT min(e.position) FROM ${schema}.parked_message e WHERE e.parked = p.id) AS head
              FROM ${schema}.parked_message m JOIN ${schema}.parked p ON p.id = m.parked
             WHERE m.log = ? AND m.position = ANY (?)""";

    private static final String SKIPS = """
            SELECT subject, who, at, detail FROM ${schema}.action
             WHERE what = 'skip' AND detail LIKE ? ESCAPE '!' ORDER BY id DESC LIMIT 20""";

    private final Rows rows;
    private final LongSupplier nanos;

    public MessageSearch(Rows rows, LongSupplier nanos) {
        this.rows = rows;
        this.nanos = nanos;
    }

    private record LogRow(String name, int lanes) {
        String table() {
            return "${schema}.\"" + name.replace("\"", "\"\"") + "\"";
        }
    }

    private record Aside(String state, int attempts, Instant next, long head) {}

    private record Skip(String subject, String who, Instant at, String detail) {
        /** Operators name a target, or mean the live one. */
        boolean isOf(Subscription subscription, String skipped) {
            String target = subscription.target();
            boolean unnamed = target.isEmpty() || subscription.live();
            return subject.equals(subscription.name())
                    && (detail.equals(skipped + ", target '" + target + "'") || (unnamed && detail.equals(skipped)));
        }
    }

    /**
     * The latest first, at most 20 of each log.
     *
     * @throws RefusedException if it takes too long
     */
    public List<FoundMessage> find(String sought, Snapshot now) {
        long begin = nanos.getAsLong();
        return rows.inOneTransaction("look for a message", connection -> {
            List<FoundMessage> all = new ArrayList<>();
            for (LogRow log : rows.all(connection, LOGS, row -> new LogRow(row.getString(1), row.getInt(2)))) {
                refuseIfLate(begin);
                List<FoundMessage> found = find(connection, log, sought);
                for (FoundMessage message : found) {
                    refuseIfLate(begin);
                    all.add(withPath(connection, message, now));
                }
            }
            return all;
        });
    }

    /** Each statement has a limit, but there may be many. */
    private void refuseIfLate(long begin) {
        if (nanos.getAsLong() - begin > LONGEST.toNanos()) {
            throw new RefusedException(
                    503, "The search took more than " + LONGEST.toSeconds() + " s: try again in a moment.");
        }
    }

    private List<FoundMessage> find(Connection connection, LogRow log, String sought) throws SQLException {
        Rows.Row<FoundMessage> reader = row -> message(row, log.name);
        UUID id = id(sought);
        if (id != null) {
            return rows.all(connection, BY_ID.formatted(COLUMNS, log.table()), reader, id);
        }
        List<FoundMessage> found = new ArrayList<>();
        if (POSITION.matcher(sought).matches()) {
            found.addAll(
                    rows.all(connection, BY_POSITION.formatted(COLUMNS, log.table()), reader, Long.parseLong(sought)));
        }
        found.addAll(rows.all(
                connection,
                BY_KEY.formatted(COLUMNS, log.table()),
                reader,
                sought,
                log.lanes,
                LOOKED_THROUGH,
                sought,
                MOST));
        return found;
    }

    private static @Nullable UUID id(String sought) {
        try {
            return sought.length() == 36 ? UUID.fromString(sought) : null;
        } catch (IllegalArgumentException aKey) {
            return null;
        }
    }

    private static FoundMessage message(ResultSet row, String log) throws SQLException {
        return new FoundMessage(
                log,
                row.getLong("position"),
                row.getObject("id", UUID.class),
                row.getInt("lane"),
                row.getString("key"),
                row.getString("topic"),
                row.getString("type"),
                row.getString("headers"),
                row.getString("json"),
                row.getInt("bytes"),
                Rows.instantThere(row, "recorded_at"),
                List.of());
    }

    private FoundMessage withPath(Connection connection, FoundMessage message, Snapshot now) throws SQLException {
        Map<Integer, Aside> aside = asideBySubscription(connection, message);
        List<Skip> skips = skips(connection, message);
        List<FoundMessage.Stop> path = new ArrayList<>();
        for (Subscription subscription : now.subscriptions()) {
            if (subscription.log().equals(message.log())) {
                path.add(stop(message, subscription, aside.get(subscription.id()), skips));
            }
        }
        return message.along(path);
    }

    private Map<Integer, Aside> asideBySubscription(Connection connection, FoundMessage message) throws SQLException {
        Map<Integer, Aside> aside = new HashMap<>();
        rows.all(
                connection,
                ASIDE,
                row -> aside.put(
                        row.getInt("subscription"),
                        new Aside(
                                row.getString("state"),
                                row.getInt("attempts"),
                                Rows.instantThere(row, "next_attempt_at"),
                                row.getLong("head"))),
                message.log(),
                new Long[] {message.position()});
        return aside;
    }

    private List<Skip> skips(Connection connection, FoundMessage message) throws SQLException {
        return rows.all(
                connection,
                SKIPS,
                row -> new Skip(
                        row.getString("subject"),
                        row.getString("who"),
                        Rows.instantThere(row, "at"),
                        row.getString("detail")),
                skipped(message).replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%");
    }

    /** As the core records it. */
    private static String skipped(FoundMessage message) {
        return "message " + message.position() + " of key '" + message.key() + "'";
    }

    private static FoundMessage.Stop stop(
            FoundMessage message, Subscription subscription, @Nullable Aside aside, List<Skip> skips) {
        if (aside != null) {
            return aside(message, subscription, aside);
        }
        for (Skip skip : skips) {
            if (skip.isOf(subscription, skipped(message))) {
                return new FoundMessage.Stop(
                        subscription,
                        FoundMessage.State.SKIPPED,
                        skip.who,
                        skip.at,
                        null,
                        "skipped by " + skip.who + "; it was never handled");
            }
        }
        int groups = subscription.lanes().size();
        return subscription.lanes().stream()
                .filter(lane -> lane.number() < 0 || lane.number() == message.lane() % groups)
                .findFirst()
                .map(lane -> passed(message, subscription, lane))
                .orElse(new FoundMessage.Stop(
                        subscription,
                        FoundMessage.State.WAITING,
                        null,
                        null,
                        null,
                        "the subscription has no lanes yet"));
    }

    private static FoundMessage.Stop aside(FoundMessage message, Subscription subscription, Aside aside) {
        FoundMessage.State state = FoundMessage.State.valueOf(aside.state.toUpperCase(java.util.Locale.ROOT));
        String why;
        if (message.position() != aside.head) {
            why = "waits behind message " + aside.head + " of the same key";
        } else if (state == FoundMessage.State.PARKED) {
            why = "failed " + aside.attempts + " times; waits for an operator";
        } else {
            why = aside.attempts + " attempts so far; is tried again";
        }
        return new FoundMessage.Stop(subscription, state, null, null, null, why);
    }

    private static FoundMessage.Stop passed(FoundMessage message, Subscription subscription, Lane lane) {
        if (lane.position() < message.position()) {
            return new FoundMessage.Stop(
                    subscription,
                    FoundMessage.State.WAITING,
                    null,
                    null,
                    null,
                    lane.owner() == null ? "its lane has no owner" : "its lane is at position " + lane.position());
        }
        Instant since = lane.ownedSince();
        boolean byOwner = lane.owner() != null && since != null && !since.isAfter(message.recordedAt());
        boolean exact = lane.position() == message.position();
        return new FoundMessage.Stop(
                subscription,
                FoundMessage.State.HANDLED,
                byOwner ? lane.owner() : null,
                exact ? lane.advancedAt() : null,
                exact ? null : lane.advancedAt(),
                byOwner
                        ? (subscription.publishesTo() == null ? "handled by " : "published by ") + lane.owner()
                        : "handled, by an owner of its lane that is not known any more");
    }
}
