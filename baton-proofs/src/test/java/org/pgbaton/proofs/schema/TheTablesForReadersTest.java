package org.pgbaton.proofs.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Keeps docs/schema.sql true: the tables as all migrations together make them. To write it anew, run this test with {@code
 * -Dbaton.write.schema=true}.
 */
@BatonTest
class TheTablesForReadersTest {
    private static final Path FILE = Path.of("../docs/schema.sql");

    private static final String HEADER = """
            -- The tables of Baton's schema, as all migrations together make them. For readers: nothing reads this file.
            -- The steps are in baton-core/src/main/resources/org/pgbaton/schema, functions and views in the folder routines there.
            -- The tables of logs (events, outbox) are made by the function create_log.
            """;

    /** Tables ordered by name, each followed by its indexes. */
    private static final String TABLES = """
            SELECT string_agg(ddl, E'\\n' ORDER BY name) FROM (
              SELECT c.relname AS name,
                     format(E'CREATE TABLE baton.%I (\\n%s%s);\\n%s', c.relname, columns.ddl, constraints.ddl, indexes.ddl) AS ddl
                FROM pg_class c
               CROSS JOIN LATERAL (
                 SELECT string_agg(format('  %I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                                          CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END,
                                          CASE WHEN a.attidentity <> '' THEN ' GENERATED ALWAYS AS IDENTITY'
                                               ELSE coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') END),
                                   E',\\n' ORDER BY a.attnum) AS ddl
                   FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) columns
               CROSS JOIN LATERAL (
                 SELECT coalesce(string_agg(E',\\n  ' || pg_get_constraintdef(k.oid), '' ORDER BY k.contype DESC, k.conname), '') || E'\\n' AS ddl
                   FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'f', 'c')) constraints
               CROSS JOIN LATERAL (
                 SELECT coalesce(string_agg(pg_get_indexdef(i.indexrelid) || E';\\n', '' ORDER BY i.indexrelid::regclass::text), '') AS ddl
                   FROM pg_index i
                  WHERE i.indrelid = c.oid AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)) indexes
               WHERE c.relnamespace = 'baton'::regnamespace AND c.relkind = 'r') tables""";

    @Test
    void areTheOnesThatAllMigrationsMake(TestDatabase database) throws Exception {
        String made = HEADER + "\n" + database.one(TABLES);
        if (Boolean.getBoolean("baton.write.schema")) {
            Files.writeString(FILE, made);
        }

        assertThat(made).isEqualTo(Files.readString(FILE));
    }
}
