package org.pgbaton.chaos.world;

import java.sql.SQLException;
import org.pgbaton.testkit.TestDatabase;

/** The tables of a round beside those of Baton: handlers and writers write to them, and the history is read from them. */
final class RoundTables {
    private static final String TABLES = """
            CREATE TABLE public.handled (
              nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, subscription text NOT NULL, position bigint NOT NULL, key text NOT NULL,
              at timestamptz NOT NULL DEFAULT clock_timestamp());
            CREATE TABLE public.guarded (nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, epoch bigint NOT NULL, who text NOT NULL);
            CREATE TABLE public.reacted (
              nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL, id text NOT NULL, epoch bigint NOT NULL);
            CREATE TABLE public.failing (key text PRIMARY KEY);
            CREATE TABLE public.account (key text PRIMARY KEY, version bigint NOT NULL);
            -- What was committed to the log, also when the log does not have it any more.
            CREATE TABLE public.written (position bigint PRIMARY KEY, key text NOT NULL, id text NOT NULL);
            CREATE FUNCTION public.write_down() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO public.written VALUES (new.position, new.key, new.id); RETURN NULL; END $$;
            CREATE TRIGGER write_down AFTER INSERT ON baton.events FOR EACH ROW EXECUTE FUNCTION public.write_down()""";

    private RoundTables() {}

    static void create(TestDatabase database, Scenario scenario) throws SQLException {
        database.execute(TABLES);
        if (scenario == Scenario.ADOPTION) {
            OldOutbox.create(database);
        }
    }
}
