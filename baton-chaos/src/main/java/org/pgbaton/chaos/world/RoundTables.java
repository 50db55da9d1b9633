package org.pgbaton.chaos.world;

import java.sql.SQLException;
import org.pgbaton.testkit.TestDatabase;

/** The tables of a round beside those of Baton: handlers and writers write to them, and the history is read from them. */
final class RoundTables {
    private static final String TABLES = """
            CREATE TABLE public.handled (
              nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, subscription text NOT NULL, position bigint NOT NULL, key text NOT NULL,
              at timestamptz NOT NULL DEFAULT clock_timestamp());
            -- A row for each key, which every message of the key updates, as projections do.
            CREATE TABLE public.latest (subscription text, key text, messages bigint NOT NULL, PRIMARY KEY (subscription, key));
            CREATE TABLE public.guarded (nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, epoch bigint NOT NULL, who text NOT NULL);
            CREATE TABLE public.reacted (
              nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL, id text NOT NULL, epoch bigint NOT NULL);
            -- Keys that fail, or take so many milliseconds.
            CREATE TABLE public.failing (key text PRIMARY KEY, millis integer NOT NULL DEFAULT 0);
            CREATE TABLE public.account (key text PRIMARY KEY, version bigint NOT NULL);
            -- What was committed to the log, also when the log does not have it any more.
            CREATE TABLE public.written (position bigint PRIMARY KEY, key text NOT NULL, id text NOT NULL);
            CREATE FUNCTION public.write_down() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO public.written VALUES (new.position, new.key, new.id); RETURN NULL; END $$;
            CREATE TRIGGER write_down AFTER INSERT ON baton.events FOR EACH ROW EXECUTE FUNCTION public.write_down()""";

    /**
     * Violations that the transaction itself shows. What it writes here is seen only if it commits, so a transaction that the fence refuses
     * leaves nothing. Connections of a process have its name.
     */
    private static final String WITNESSES = """
            CREATE TABLE public.witness (nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, invariant text NOT NULL, what text NOT NULL);
            CREATE FUNCTION public.see_checkpoint() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE
              mover text := current_setting('application_name');
              lane text := (SELECT s.name || ', lane ' || new.lane FROM baton.subscription s WHERE s.id = new.subscription);
            BEGIN
              IF mover ~ '^(worker|guest)-[0-9]+$' THEN
                IF mover <> new.owner THEN
                  INSERT INTO public.witness (invariant, what) VALUES ('I4', format('%s: %s moved the checkpoint to %s in epoch %s of %s',
                    lane, mover, new.position, new.epoch, new.owner));
                END IF;
                IF new.timeline <> baton.timeline() THEN
                  INSERT INTO public.witness (invariant, what) VALUES ('I4', format('%s: %s, an owner of the timeline %s, moved the checkpoint in %s',
                    lane, mover, new.timeline, baton.timeline()));
                END IF;
                IF new.position < old.position THEN
                  INSERT INTO public.witness (invariant, what) VALUES ('I5', format('%s: %s moved the checkpoint from %s back to %s',
                    lane, mover, old.position, new.position));
                END IF;
              END IF;
              RETURN NULL;
            END $$;
            CREATE TRIGGER see_checkpoint AFTER UPDATE OF position ON baton.checkpoint
              FOR EACH ROW WHEN (new.position <> old.position) EXECUTE FUNCTION public.see_checkpoint();
            CREATE FUNCTION public.see_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              IF new.epoch <= old.epoch OR old.timeline NOT IN ('none', new.timeline) AND new.epoch >> 32 <= old.epoch >> 32 THEN
                INSERT INTO public.witness (invariant, what) VALUES ('I4', format('checkpoint %s: epoch %s of timeline %s after %s of %s',
                  new.id, new.epoch, new.timeline, old.epoch, old.timeline));
              END IF;
              RETURN NULL;
            END $$;
            CREATE TRIGGER see_epoch AFTER UPDATE OF epoch ON baton.checkpoint
              FOR EACH ROW WHEN (new.timeline <> 'retired') EXECUTE FUNCTION public.see_epoch();
            -- Deferred, so that it looks after the handler, however long that took.
            CREATE FUNCTION public.see_handled() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE
              handler text := current_setting('application_name');
              owner text;
            BEGIN
              SELECT c.owner INTO owner
                FROM baton.subscription s JOIN baton.log l ON l.name = s.log
                JOIN baton.checkpoint c ON c.subscription = s.id AND (c.lane < 0 OR c.lane = baton.lane_of(new.key, l.lanes))
               WHERE s.name = new.subscription AND s.target = '' AND s.live;
              IF handler ~ '^(worker|guest)-[0-9]+$' AND handler <> owner THEN
                INSERT INTO public.witness (invariant, what) VALUES ('I4', format('%s: %s handled position %s of key %s, which was %s''s by then',
                  new.subscription, handler, new.position, new.key, owner));
              END IF;
              RETURN NULL;
            END $$;
            CREATE CONSTRAINT TRIGGER see_handled AFTER INSERT ON public.handled DEFERRABLE INITIALLY DEFERRED
              FOR EACH ROW EXECUTE FUNCTION public.see_handled()""";

    private RoundTables() {}

    static void create(TestDatabase database, Scenario scenario) throws SQLException {
        database.execute(TABLES);
        database.execute(WITNESSES);
        if (scenario == Scenario.ADOPTION) {
            OldOutbox.create(database);
        }
    }
}
