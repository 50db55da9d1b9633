package org.pgbaton.publication;

/** Statements about the publication of a capture and its tables. */
final class PublicationSql {
    /** A name as the user gave it, found along the user's search_path, with its schema. */
    static final String FULL_NAME = """
            SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c
              JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
             WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(?)::pg_catalog.oid""";

    /** A table, with everything that decides whether it can be captured. */
    static final String TABLE = """
            SELECT c.oid, n.nspname, c.relname, format('%I.%I', n.nspname, c.relname) AS quoted, c.relkind, c.relpersistence,
                   c.relreplident, pg_has_role(c.relowner, 'USAGE') AS owned, pg_get_userbyid(c.relowner) AS owner, current_user,
                   ARRAY(SELECT a.attname::text FROM pg_attribute a
                          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns,
                   ARRAY(SELECT a.attname::text FROM pg_attribute a
                          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum) AS sent,
                   ARRAY(SELECT a.attname::text FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
                          WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY array_position(i.indkey::int2[], a.attnum)) AS primary_key,
                   ARRAY(SELECT a.attname::text FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
                          WHERE i.indrelid = c.oid AND CASE c.relreplident WHEN 'd' THEN i.indisprimary
                                                                           WHEN 'i' THEN i.indisreplident END) AS identity
              FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE c.oid = to_regclass(?)""";

    /** Operations; tables; a log of Baton's own among them; whether it has column lists or filters, or does not publish by the root. */
    static final String PUBLICATION = """
            SELECT array_remove(ARRAY[CASE WHEN p.pubinsert THEN 'insert' END, CASE WHEN p.pubupdate THEN 'update' END,
                                      CASE WHEN p.pubdelete THEN 'delete' END, CASE WHEN p.pubtruncate THEN 'truncate' END], NULL),
                   ARRAY(SELECT format('%I.%I', t.schemaname, t.tablename) FROM pg_publication_tables t WHERE t.pubname = p.pubname),
                   (SELECT min(l.relation::text) FROM ${schema}.log l JOIN pg_class c ON c.oid = l.relation
                      JOIN pg_namespace n ON n.oid = c.relnamespace
                      JOIN pg_publication_tables t ON t.pubname = p.pubname AND t.schemaname = n.nspname AND t.tablename = c.relname),
                   NOT p.pubviaroot OR EXISTS (SELECT FROM pg_publication_rel r
                      WHERE r.prpubid = p.oid AND (to_jsonb(r) ->> 'prqual' IS NOT NULL OR to_jsonb(r) ->> 'prattrs' IS NOT NULL))
              FROM pg_publication p WHERE p.pubname = ?""";

    /** The columns in the row filter of a table. UPDATE and DELETE need them in the replica identity. */
    static final String FILTERED_BY = """
            SELECT a.attname FROM pg_publication_rel r
              JOIN pg_publication p ON p.oid = r.prpubid
              JOIN pg_depend d ON d.classid = 'pg_publication_rel'::regclass AND d.objid = r.oid
                              AND d.refclassid = 'pg_class'::regclass AND d.refobjid = r.prrelid AND d.refobjsubid > 0
              JOIN pg_attribute a ON a.attrelid = r.prrelid AND a.attnum = d.refobjsubid
             WHERE p.pubname = ? AND r.prrelid = ?""";

    /**
     * Subject, aspect and state of everything that decides which changes are sent; for a partition also its name and the transaction that
     * last changed its entry. The catalogs of older servers lack some columns, so these are read by way of JSON.
     */
    static final String STATE = """
            WITH publication AS (SELECT p.* FROM pg_publication p WHERE p.pubname = ?),
                 members AS (SELECT to_regclass(format('%I.%I', t.schemaname, t.tablename))::oid AS relation, to_jsonb(t) ->> 'rowfilter' AS filter
                               FROM publication p JOIN pg_publication_tables t ON t.pubname = p.pubname WHERE NOT p.puballtables),
                 wanted AS (SELECT w.name, c.oid AS relation, c.relreplident, c.relpersistence
                              FROM unnest(?::text[], ?::bigint[]) AS w (name, number)
                              LEFT JOIN pg_class c ON c.oid = coalesce(to_regclass(w.name)::oid, w.number::oid))
            SELECT '' AS subject, 'operations' AS aspect,
                   coalesce((SELECT array_to_string(ARRAY[CASE WHEN pubinsert THEN 'insert' END, CASE WHEN pubupdate THEN 'update' END,
                                     CASE WHEN pubdelete THEN 'delete' END, CASE WHEN pubtruncate THEN 'truncate' END], ', ')
                               FROM publication), '-') AS state, NULL::text AS name, 0::bigint AS changed_by
            UNION ALL SELECT '', 'root', pubviaroot::text, NULL, 0 FROM publication
            UNION ALL SELECT name, 'table', coalesce(relation, 0)::text, NULL, 0 FROM wanted
            UNION ALL SELECT name, 'published',
                             CASE WHEN relpersistence = 'p' AND ((SELECT puballtables FROM publication)
                                                                 OR relation IN (SELECT m.relation FROM members m)) THEN 'yes' ELSE 'no' END,
                             NULL, 0 FROM wanted
            UNION ALL SELECT name, 'filter', coalesce((SELECT min(m.filter) FROM members m WHERE m.relation = w.relation), ''), NULL, 0
                        FROM wanted w
            UNION ALL SELECT name, 'columns',
                             coalesce((SELECT min(to_jsonb(r) ->> 'prattrs') FROM pg_publication_rel r
                                        WHERE r.prpubid = (SELECT p.oid FROM publication p) AND r.prrelid = w.relation), ''), NULL, 0
                        FROM wanted w
            UNION ALL SELECT name, 'identity',
                             coalesce(relreplident::text, '-')
                             || coalesce((SELECT string_agg(' ' || k, '' ORDER BY k) FROM pg_index i, unnest(i.indkey::int2[]) AS k
                                           WHERE i.indrelid = w.relation
                                             AND CASE w.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END),
                                         ''), NULL, 0
                        FROM wanted w
            UNION ALL SELECT c.oid::text, 'file', c.relfilenode::text, c.oid::regclass::text, c.xmin::text::bigint
                        FROM wanted w CROSS JOIN LATERAL pg_partition_tree(w.relation::regclass) t JOIN pg_class c ON c.oid = t.relid
                       WHERE ? AND t.isleaf AND t.relid <> w.relation AND c.relkind = 'r'""";

    static final String RECORDED_STATE = "SELECT subject, aspect, state FROM ${schema}.capture_basis WHERE capture = ?";

    static final String FORGET_STATE = "DELETE FROM ${schema}.capture_basis WHERE capture = ?";

    static final String RECORD_STATE = """
            INSERT INTO ${schema}.capture_basis (capture, subject, aspect, state)
            SELECT ?, t.* FROM unnest(?::text[], ?::text[], ?::text[]) AS t""";

    private PublicationSql() {}
}
