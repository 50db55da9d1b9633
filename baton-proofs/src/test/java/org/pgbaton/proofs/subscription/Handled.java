package org.pgbaton.proofs.subscription;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.pgbaton.log.Message;
import org.pgbaton.testkit.TestDatabase;

/**
 * A table in which subscriptions record what they handled. It has no constraints that would prevent a lost message, a
 * duplicate or a wrong order. The checker compares it with the log.
 */
final class Handled {
    private static final String INSERT = "INSERT INTO public.handled (subscription, position, key) VALUES (?, ?, ?)";

    static final String TABLE = """
            CREATE TABLE public.handled (
              nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              subscription text NOT NULL, position bigint NOT NULL, key text NOT NULL);
            CREATE INDEX ON public.handled (subscription, position)""";

    private Handled() {}

    /**
     * @param lost committed, not handled
     * @param twice handled more than once
     * @param invented handled, but not in the log
     * @param outOfOrder handled after a later message: of its key or, in total order, of any key
     */
    record Verdict(long committed, long handled, long lost, long twice, long invented, long outOfOrder) {
        boolean isClean() {
            return lost + twice + invented + outOfOrder == 0;
        }
    }

    static void createTable(TestDatabase database) throws SQLException {
        database.execute(TABLE);
    }

    static void add(Connection connection, String subscription, List<Message> messages) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            for (Message message : messages) {
                insert.setString(1, subscription);
                insert.setLong(2, message.position());
                insert.setString(3, message.key());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    static long count(TestDatabase database, String subscription) throws SQLException {
        return Long.parseLong(database.one("SELECT count(*) FROM public.handled WHERE subscription = ?", subscription));
    }

    static boolean isComplete(TestDatabase database, String subscription) throws SQLException {
        return verdict(database, subscription, false).lost == 0;
    }

    static Verdict verdict(TestDatabase database, String subscription, boolean inTotalOrder) throws SQLException {
        return new Verdict(
                number(database, "SELECT count(*) FROM baton.events"),
                number(database, "SELECT count(*) FROM public.handled WHERE subscription = ?", subscription),
                number(database, """
                        SELECT count(*) FROM baton.events e WHERE NOT EXISTS (
                          SELECT FROM public.handled h WHERE h.subscription = ? AND h.position = e.position)""", subscription),
                number(database, """
                        SELECT count(*) - count(DISTINCT position) FROM public.handled WHERE subscription = ?""", subscription),
                number(database, """
                        SELECT count(*) FROM public.handled h WHERE h.subscription = ? AND NOT EXISTS (
                          SELECT FROM baton.events e WHERE e.position = h.position AND e.key = h.key)""", subscription),
                number(database, """
                        SELECT count(*) FROM (
                          SELECT position, max(position) OVER (%s ORDER BY nr ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest
                            FROM public.handled WHERE subscription = ?) h
                         WHERE position < latest""".formatted(inTotalOrder ? "" : "PARTITION BY key"), subscription));
    }

    private static long number(TestDatabase database, String sql, Object... parameters) throws SQLException {
        return Long.parseLong(database.one(sql, parameters));
    }
}
