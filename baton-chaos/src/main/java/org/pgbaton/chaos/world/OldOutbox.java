package org.pgbaton.chaos.world;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.testkit.TestDatabase;

/**
 * A table with a status column, as teams have it before they move in: see docs/moving-in.md. Each of its keys has one writer, so that the numbers
 * of its rows say in which order they were written. A program that has been changed already writes to the log itself.
 */
public final class OldOutbox {
    public static final String TABLE = "public.old_outbox";
    /** The log that adopts it. */
    static final String LOG = "outbox";
    /** How keys begin that are written to the log itself. */
    public static final String DIRECT = "direct-";
    /** The name of the old relay in the table {@code handled}; the position there is the number of a row. */
    public static final String OLD_RELAY = "old relay";

    /** Rows that were sent long ago, and rows that the old relay has not sent when it starts. */
    private static final String CREATE = """
            CREATE TABLE public.old_outbox (
              nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(), key text NOT NULL,
              payload json NOT NULL, status text NOT NULL DEFAULT 'PENDING');
            CREATE INDEX ON public.old_outbox (nr) WHERE status = 'PENDING';
            INSERT INTO public.old_outbox (key, payload, status) SELECT 'past-' || n, '{}', 'SENT' FROM generate_series(1, 200) n;
            INSERT INTO public.old_outbox (key, payload) SELECT 'key-' || n % 40, '{}' FROM generate_series(0, 199) n;
            ALTER TABLE baton.outbox ALTER COLUMN topic SET DEFAULT 'orders';
            CREATE TRIGGER write_down AFTER INSERT ON baton.outbox FOR EACH ROW EXECUTE FUNCTION public.write_down()""";

    private static final String ROWS = "SELECT key, nr FROM public.old_outbox WHERE key NOT LIKE 'past-%' ORDER BY nr";

    /** By whom each row was handled, in that order. A message that is not in the table has the number 0. */
    private static final String HANDLED = """
            SELECT h.subscription, h.key, CASE WHEN h.subscription = 'old relay' THEN h.position ELSE coalesce(o.nr, 0) END
              FROM public.handled h
              LEFT JOIN public.written w ON w.position = h.position AND h.subscription <> 'old relay'
              LEFT JOIN public.old_outbox o ON o.id::text = w.id
             WHERE h.subscription IN ('old relay', '%s') AND h.key NOT LIKE 'direct-%%'
             ORDER BY h.nr""".formatted(Part.PROJECTION.subscription());

    private static final String SKIPPED = """
            SELECT o.key, o.nr FROM baton.action a
              JOIN public.written w ON w.position = substring(a.detail FROM '^message ([0-9]+)')::bigint
              JOIN public.old_outbox o ON o.id::text = w.id
             WHERE a.what = 'skip' AND a.subject = '%s'""".formatted(Part.PROJECTION.subscription());

    private static final String LEFT = """
            SELECT (SELECT count(*) FROM public.old_outbox WHERE status = 'PENDING') + (SELECT count(*) FROM baton.adoption_waiting)""";

    private OldOutbox() {}

    static void create(TestDatabase database) throws SQLException {
        database.execute(CREATE);
    }

    /** Rows that the old relay has to send, or that wait until it has. */
    static long left(TestDatabase database) throws SQLException {
        return Long.parseLong(database.one(LEFT));
    }

    /** Rows of the table that Baton has handled. */
    public static long handedOver(TestDatabase database) throws SQLException {
        return Long.parseLong(database.one(
                "SELECT count(*) FROM public.handled WHERE subscription = ? AND key NOT LIKE 'direct-%'",
                Part.PROJECTION.subscription()));
    }

    public static History.Adoption history(TestDatabase database) throws SQLException {
        List<History.Row> rows = new ArrayList<>();
        List<History.Row> handled = new ArrayList<>();
        Rows.each(database, ROWS, row -> rows.add(new History.Row("", row.getString(1), row.getLong(2))));
        Rows.each(
                database,
                HANDLED,
                row -> handled.add(new History.Row(row.getString(1), row.getString(2), row.getLong(3))));
        List<History.Row> skipped = new ArrayList<>();
        Rows.each(database, SKIPPED, row -> skipped.add(new History.Row("", row.getString(1), row.getLong(2))));
        return new History.Adoption(rows, handled, skipped);
    }
}
