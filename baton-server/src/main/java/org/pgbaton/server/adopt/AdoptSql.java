package org.pgbaton.server.adopt;

/** The queries about adopted tables. Functions of the schema do the work; the states are explained at the table {@code adoption}. */
final class AdoptSql {
    private static final String PLAN = "jsonb_populate_record(NULL::${schema}.adoption, ?::jsonb)";

    /** ${table} and ${status} are quoted. */
    static final String STATUSES =
            "SELECT coalesce(${status}::text, '(null)'), count(*) FROM ${table} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50";

    static final String CHECK = "SELECT c.looked_at, c.refused, c.example, c.fault, ${schema}.status_fault(p)"
            + " FROM " + PLAN + " p, ${schema}.check_adoption(p) c";

    static final String STATE = """
            SELECT a.state, a.log, ${schema}.adoption_pending(a), ${schema}.adoption_unsent(a),
                   (SELECT count(*) FROM ${schema}.adoption_waiting w WHERE w.relation = a.relation), array_to_string(a.pending, ', ')
              FROM ${schema}.adoption a WHERE a.relation = to_regclass(?)""";

    static final String HAS_READERS = "SELECT EXISTS (SELECT FROM ${schema}.subscription WHERE log = ? AND live)";

    static final String BEGIN = "SELECT ${schema}.begin_adoption(" + PLAN + ", ?, ?)";

    static final String FINISH = "SELECT ${schema}.finish_adoption(to_regclass(?), ?, ?)";

    static final String BEGIN_RETURN = "SELECT ${schema}.begin_return(to_regclass(?), ?, ?)";

    static final String FINISH_RETURN = "SELECT ${schema}.finish_return(to_regclass(?), ?, ?)";

    private AdoptSql() {}
}
