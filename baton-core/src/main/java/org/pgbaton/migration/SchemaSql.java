package org.pgbaton.migration;

/** The statements of the migration runner, besides the migrations themselves. */
final class SchemaSql {
    /**
     * Defaults, conditions and views are resolved once, when they are made: not among what somebody else put into a schema of the
     * migrating user's search_path.
     */
    static final String SAFE_PATH = "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)";

    static final String KEEP_PATH =
            "SELECT pg_catalog.set_config('baton.search_path', pg_catalog.current_setting('search_path'), true)";

    static final String RESTORE_PATH =
            "SELECT pg_catalog.set_config('search_path', pg_catalog.current_setting('baton.search_path'), true)";

    static final String CREATE_SCHEMA = "CREATE SCHEMA ${schema}";

    static final String CREATE_TABLE = """
            CREATE TABLE ${schema}.migration (
              number          integer PRIMARY KEY,
              name            text NOT NULL,
              compatible_from integer NOT NULL,
              applied_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
              applied_by      text NOT NULL DEFAULT current_user
            )""";

    static final String RECORD =
            "INSERT INTO ${schema}.migration (number, name, compatible_from) VALUES (%d, '%s', %d)";

    /** Ends a script that was made for a schema at another step. */
    static final String REQUIRE_STEP = """
            DO $require$
            DECLARE
              at integer := (SELECT max(number) FROM ${schema}.migration);
            BEGIN
              IF at IS DISTINCT FROM %1$d THEN
                RAISE EXCEPTION 'This script is for the schema ${name} at step %1$d, and it is at step %%: print it again with --from %%.', at, at;
              END IF;
            END
            $require$""";

    /** By the catalogs themselves: to_regnamespace() may answer from a cache that is older than the lock we waited for. */
    static final String EXISTS = """
            SELECT EXISTS (SELECT FROM pg_namespace WHERE '"' || nspname || '"' = ?),
                   EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                            WHERE '"' || n.nspname || '".' || c.relname = ?)""";

    static final String STATE =
            "SELECT coalesce(max(number), 0), coalesce(max(compatible_from), 0) FROM ${schema}.migration";

    /** Held to the end of the transaction, so that eight processes that start at once migrate one after the other. */
    static final String LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('baton migrate ${name}', 0))";

    /** Whether a table is adopted, so that the schema needs the functions for it. A table that was dropped needs none. */
    static final String IS_ANY_TABLE_ADOPTED =
            "SELECT EXISTS (SELECT FROM ${schema}.adoption a JOIN pg_class c ON c.oid = a.relation)";

    private SchemaSql() {}
}
