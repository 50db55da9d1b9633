package org.pgbaton.server.adopt;

/**
 * The queries about adopted tables. {@link org.pgbaton.migration.AdoptionFunctions} do the work; the states are explained at the table {@code
 * adoption}. The name of the table is looked up along the user's search_path, so that is in force: everything else names its schema.
 */
final class AdoptSql {
    /** Our role, the owner, and whether we may do what the owner may. */
    static final String OWNER_OF_SCHEMA = """
            SELECT current_user, pg_catalog.pg_get_userbyid(n.nspowner), pg_catalog.pg_has_role(n.nspowner, 'USAGE')
              FROM pg_catalog.pg_namespace n WHERE n.nspname OPERATOR(pg_catalog.=) ?""";

    static final String OWNER_OF_TABLE = """
            SELECT current_user, pg_catalog.pg_get_userbyid(c.relowner), pg_catalog.pg_has_role(c.relowner, 'USAGE')
              FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(?)::pg_catalog.oid""";

    /** An older snapshot would not see what others did while we waited for a lock. */
    static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    private static final String PLAN =
            "pg_catalog.jsonb_populate_record(NULL::${schema}.adoption, ?::pg_catalog.jsonb)";

    private static final String TABLE = "pg_catalog.to_regclass(?)";

    /** ${table} and ${status} are quoted. */
    static final String STATUSES =
            "SELECT coalesce(${status}::pg_catalog.text, '(null)'), pg_catalog.count(*) FROM ${table} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50";

    static final String CHECK = "SELECT c.looked_at, c.refused, c.example, c.fault, ${schema}.status_fault(p)"
            + " FROM " + PLAN + " p, ${schema}.check_adoption(p) c";

    static final String IS_ADOPTED =
            "SELECT EXISTS (SELECT FROM ${schema}.adoption a WHERE a.relation OPERATOR(pg_catalog.=) " + TABLE + ")";

    /** Of a table that is adopted: only then are the functions there. */
    static final String STATE = """
            SELECT a.state, a.log, ${schema}.adoption_pending(a), ${schema}.adoption_unsent(a),
                   (SELECT pg_catalog.count(*) FROM ${schema}.adoption_waiting w WHERE w.relation OPERATOR(pg_catalog.=) a.relation),
                   pg_catalog.array_to_string(a.pending, ', ')
              FROM ${schema}.adoption a WHERE a.relation OPERATOR(pg_catalog.=)\s""" + TABLE;

    static final String HAS_READERS =
            "SELECT EXISTS (SELECT FROM ${schema}.subscription s WHERE s.log OPERATOR(pg_catalog.=) ? AND s.live)";

    static final String BEGIN = "SELECT ${schema}.begin_adoption(" + PLAN + ", ?, ?)";

    static final String FINISH = "SELECT ${schema}.finish_adoption(" + TABLE + ", ?, ?)";

    static final String BEGIN_RETURN = "SELECT ${schema}.begin_return(" + TABLE + ", ?, ?)";

    static final String FINISH_RETURN = "SELECT ${schema}.finish_return(" + TABLE + ", ?, ?)";

    private AdoptSql() {}
}
