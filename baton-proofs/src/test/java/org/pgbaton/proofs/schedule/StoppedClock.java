package org.pgbaton.proofs.schedule;

import java.sql.SQLException;
import java.time.Instant;
import org.pgbaton.testkit.TestDatabase;

/**
 * The clock that says what is due, in the hands of a test. A leader that waits for a due time looks again when the time that was left has
 * passed; so let a moment be left, and it looks many times a second.
 */
public final class StoppedClock {
    private final TestDatabase database;

    private StoppedClock(TestDatabase database) {
        this.database = database;
    }

    /** Replaces the database's clock for schedules. */
    public static StoppedClock at(TestDatabase database, String time) throws SQLException {
        database.execute("""
                CREATE TABLE public.stopped_clock (at timestamptz NOT NULL);
                GRANT SELECT ON public.stopped_clock TO PUBLIC;
                INSERT INTO public.stopped_clock VALUES ('%s');
                CREATE OR REPLACE FUNCTION baton.schedule_clock() RETURNS timestamptz
                LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS 'SELECT at FROM public.stopped_clock'
                """.formatted(time));
        return new StoppedClock(database);
    }

    /** Sets it. */
    public void set(Instant time) throws SQLException {
        database.execute("UPDATE public.stopped_clock SET at = '" + time + "'");
    }

    /** Sets it. */
    public void set(String time) throws SQLException {
        set(Instant.parse(time));
    }

    /** A moment before that time. */
    public void setJustBefore(Instant time) throws SQLException {
        set(time.minusMillis(50));
    }
}
