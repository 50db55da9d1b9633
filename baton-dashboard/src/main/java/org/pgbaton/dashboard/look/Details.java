package org.pgbaton.dashboard.look;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureGap;
import org.pgbaton.subscription.OperatorAction;
import org.pgbaton.subscription.ParkedKey;

/** What only some pages show: parked keys, errors, gaps, actions. Asks the database. Thread-safe. */
public final class Details {
    /** More keys than that are not listed at once. */
    public static final int MOST_KEYS = 200;

    private static final String PARKED = """
            SELECT s.name, s.target, p.key, p.state, p.attempts, p.error, p.since, p.next_attempt_at,
                   coalesce(m.head, 0) AS head, coalesce(m.waiting, 0) AS waiting
              FROM (SELECT * FROM ${schema}.parked k
                     WHERE (?::text IS NULL OR k.subscription IN (SELECT id FROM ${schema}.subscription WHERE name = ?))
                       AND (?::text IS NULL OR k.key = ?)
                       AND (?::text IS NULL OR strpos(k.error, ?) > 0)
                     ORDER BY (k.state = 'parked') DESC, k.since, k.id LIMIT ?) p
              JOIN ${schema}.subscription s ON s.id = p.subscription
              CROSS JOIN LATERAL (SELECT min(position) AS head, count(*) AS waiting
                                    FROM ${schema}.parked_message WHERE parked = p.id) m
             ORDER BY (p.state = 'parked') DESC, p.since, p.id""";

    private static final String ERRORS = """
            SELECT s.name, s.target, regexp_replace(left(coalesce(p.error, ''), 300), '[0-9]+', '#', 'g') AS text,
                   (array_agg(p.error ORDER BY p.since DESC))[1] AS example, count(*) AS keys, sum(m.waiting) AS waiting,
                   max(p.since) AS latest
              FROM ${schema}.parked p
              JOIN ${schema}.subscription s ON s.id = p.subscription
              LEFT JOIN (SELECT parked, count(*) AS waiting FROM ${schema}.parked_message GROUP BY parked) m ON m.parked = p.id
             WHERE p.error IS NOT NULL
             GROUP BY 1, 2, 3 ORDER BY keys DESC, latest DESC LIMIT 30""";

    private static final String ACTIONS = """
            SELECT at, who, what, subject, reason, detail, by_user FROM ${schema}.action ORDER BY id DESC LIMIT ?""";

    private static final String GAPS = """
            SELECT id, capture, table_name, what, from_lsn::text AS from_lsn, from_at, to_lsn::text AS to_lsn, to_at, found_at,
                   settled_at, settled_by, settled_reason
              FROM ${schema}.capture_gap WHERE suspect IS NULL ORDER BY (settled_at IS NULL) DESC, id DESC LIMIT 100""";

    private static final String TO_RETRY = """
            SELECT count(*) AS keys FROM ${schema}.parked p JOIN ${schema}.subscription s ON s.id = p.subscription
             WHERE s.name = ? AND s.target = ? AND p.state <> 'slow' AND (?::text IS NULL OR strpos(p.error, ?) > 0)""";

    private final Rows rows;

    public Details(Rows rows) {
        this.rows = rows;
    }

    /**
     * Keys that wait, those that wait for an operator first.
     *
     * @param subscription null for all
     * @param errorContains null for any
     */
    public List<ParkedKey> parked(@Nullable String subscription, @Nullable String errorContains, int most) {
        return parked(subscription, null, errorContains, most);
    }

    /** One key; empty if it does not wait. */
    public Optional<ParkedKey> parkedKey(String subscription, String target, String key) {
        return parked(subscription, key, null, MOST_KEYS).stream()
                .filter(each -> each.target().equals(target))
                .findFirst();
    }

    private List<ParkedKey> parked(
            @Nullable String subscription, @Nullable String key, @Nullable String errorContains, int most) {
        return rows.inOneTransaction(
                "read the parked keys",
                connection -> rows.all(
                        connection,
                        PARKED,
                        Details::parkedKey,
                        subscription,
                        subscription,
                        key,
                        key,
                        errorContains,
                        errorContains,
                        most));
    }

    private static ParkedKey parkedKey(ResultSet row) throws SQLException {
        return new ParkedKey(
                row.getString("name"),
                row.getString("target"),
                row.getString("key"),
                ParkedKey.State.of(row.getString("state")),
                row.getInt("attempts"),
                row.getString("error"),
                Rows.instantThere(row, "since"),
                Rows.instantThere(row, "next_attempt_at"),
                row.getLong("head"),
                row.getLong("waiting"));
    }

    /** The errors of keys that wait, the most frequent first. */
    public List<ErrorGroup> errors() {
        return rows.inOneTransaction(
                "group the errors",
                connection -> rows.all(
                        connection,
                        ERRORS,
                        row -> new ErrorGroup(
                                row.getString("name"),
                                row.getString("target"),
                                row.getString("text"),
                                row.getString("example"),
                                row.getInt("keys"),
                                row.getLong("waiting"),
                                Rows.instantThere(row, "latest"))));
    }

    /** How many keys a bulk retry would try again. */
    public int toRetry(String subscription, String target, @Nullable String errorContains) {
        return rows.inOneTransaction(
                "count the parked keys",
                connection -> rows.all(
                                connection,
                                TO_RETRY,
                                row -> row.getInt("keys"),
                                subscription,
                                target,
                                errorContains,
                                errorContains)
                        .get(0));
    }

    /** What operators did, the latest first. */
    public List<OperatorAction> actions(int most) {
        return rows.inOneTransaction(
                "read the actions",
                connection -> rows.all(
                        connection,
                        ACTIONS,
                        row -> new OperatorAction(
                                Rows.instantThere(row, "at"),
                                row.getString("who"),
                                row.getString("what"),
                                row.getString("subject"),
                                row.getString("reason"),
                                row.getString("detail"),
                                row.getString("by_user")),
                        most));
    }

    /** Gaps of all captures, those that nobody has settled first. */
    public List<CaptureGap> gaps() {
        return rows.inOneTransaction(
                "read the gaps",
                connection -> rows.all(
                        connection,
                        GAPS,
                        row -> new CaptureGap(
                                row.getInt("id"),
                                row.getString("capture"),
                                row.getString("table_name"),
                                row.getString("what"),
                                row.getString("from_lsn"),
                                Rows.instant(row, "from_at"),
                                row.getString("to_lsn"),
                                Rows.instant(row, "to_at"),
                                Rows.instantThere(row, "found_at"),
                                Rows.instant(row, "settled_at"),
                                row.getString("settled_by"),
                                row.getString("settled_reason"))));
    }
}
