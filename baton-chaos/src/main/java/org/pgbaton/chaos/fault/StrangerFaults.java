package org.pgbaton.chaos.fault;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.World;

/** What a role can do that may connect, and create in the schema {@code public}, as everybody may by default up to PostgreSQL 14. */
final class StrangerFaults {
    /** Operators and functions that fit better than those of PostgreSQL where a name is written without its schema. */
    private static final String TRAPS = """
            DO $$ BEGIN CREATE ROLE chaos_stranger; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
            GRANT CREATE ON SCHEMA public TO chaos_stranger;
            GRANT INSERT ON public.witness TO chaos_stranger;
            SET ROLE chaos_stranger;
            CREATE FUNCTION public.trap(what text) RETURNS void LANGUAGE plpgsql AS $f$
            BEGIN
              IF current_user <> 'chaos_stranger' THEN
                INSERT INTO public.witness (invariant, what) VALUES ('I13', what || ' of a stranger ran as ' || current_user);
              END IF;
            END $f$;
            CREATE FUNCTION public.concat(text, oid) RETURNS text LANGUAGE plpgsql AS $f$
            BEGIN PERFORM public.trap('concat'); RETURN pg_catalog.concat($1, $2); END $f$;
            CREATE FUNCTION public.joined(text, oid) RETURNS text LANGUAGE plpgsql AS $f$
            BEGIN PERFORM public.trap('||'); RETURN pg_catalog.concat($1, $2); END $f$;
            CREATE OPERATOR public.|| (LEFTARG = text, RIGHTARG = oid, FUNCTION = public.joined);
            CREATE FUNCTION public.less(double precision, numeric) RETURNS boolean LANGUAGE plpgsql AS $f$
            BEGIN PERFORM public.trap('<'); RETURN $1 OPERATOR(pg_catalog.<) $2::double precision; END $f$;
            CREATE OPERATOR public.< (LEFTARG = double precision, RIGHTARG = numeric, FUNCTION = public.less);
            CREATE FUNCTION public.same(bigint, oid) RETURNS boolean LANGUAGE plpgsql AS $f$
            BEGIN PERFORM public.trap('='); RETURN $1 OPERATOR(pg_catalog.=) $2::bigint; END $f$;
            CREATE OPERATOR public.= (LEFTARG = bigint, RIGHTARG = oid, FUNCTION = public.same);
            RESET ROLE""";

    /** Locks that mean something to Baton: the doorbell, a lane's writers, a lane's ownership, a member. */
    private static final List<String> LOCKS = List.of(
            "SELECT pg_advisory_lock('baton.events'::regclass::oid::integer, -1)",
            "SELECT pg_advisory_lock('baton.events'::regclass::oid::integer, 3)",
            "SELECT pg_try_advisory_lock('baton.checkpoint'::regclass::oid::integer, id) FROM baton.checkpoint",
            "SELECT pg_advisory_lock_shared('baton.member'::regclass::oid::integer, n) FROM generate_series(1, 50) n");

    private StrangerFaults() {}

    static void strike(World world, Random random) throws Exception {
        try (Connection connection = world.database().connect();
                Statement statement = connection.createStatement()) {
            world.events().add("a stranger lays traps in the schema public");
            statement.execute(TRAPS);
            statement.execute("SET lock_timeout = '1s'");
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                String lock = LOCKS.get(random.nextInt(LOCKS.size()));
                world.events().add("the stranger: " + lock);
                hold(statement, lock);
                Wait.between(random, 200, 1500);
                statement.execute("SELECT pg_advisory_unlock_all()");
            }
            world.events().add("the stranger is gone");
        }
    }

    private static void hold(Statement statement, String lock) {
        try {
            statement.execute(lock);
        } catch (SQLException taken) {
            // Others hold it, and the stranger goes on.
        }
    }
}
