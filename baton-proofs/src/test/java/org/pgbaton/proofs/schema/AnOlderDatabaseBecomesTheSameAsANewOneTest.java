package org.pgbaton.proofs.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.SchemaName;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * In whatever way a database came to the newest step, its functions, views, triggers, tables and rights are those of a
 * new one.
 */
@BatonTest
class AnOlderDatabaseBecomesTheSameAsANewOneTest {
    /** Everything of a schema that is not data, as text, without the schema's name. Columns without their order. */
    private static final String EVERYTHING = """
            SELECT replace(what, '${name}', 'SCHEMA') FROM (
              SELECT 'function ' || pg_get_functiondef(p.oid) || coalesce((SELECT string_agg(a::text, ',' ORDER BY a::text)
                       FROM unnest(p.proacl) a), '') AS what
                FROM pg_proc p WHERE p.pronamespace = '${name}'::regnamespace
              UNION ALL SELECT 'view ' || c.oid::regclass || ' ' || pg_get_viewdef(c.oid)
                FROM pg_class c WHERE c.relnamespace = '${name}'::regnamespace AND c.relkind = 'v'
              UNION ALL SELECT 'column ' || c.oid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
                     || ' ' || a.attnotnull || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
                FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
               WHERE c.relnamespace = '${name}'::regnamespace AND c.relkind = 'r'
              UNION ALL SELECT 'constraint ' || o.conname || ' ' || o.conrelid::regclass || ' ' || pg_get_constraintdef(o.oid)
                FROM pg_constraint o WHERE o.connamespace = '${name}'::regnamespace
              UNION ALL SELECT 'index ' || pg_get_indexdef(i.indexrelid)
                FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = '${name}'::regnamespace
              UNION ALL SELECT 'trigger ' || pg_get_triggerdef(t.oid) || t.tgenabled::text
                FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
               WHERE c.relnamespace = '${name}'::regnamespace AND NOT t.tgisinternal
              UNION ALL SELECT 'relation ' || c.oid::regclass || coalesce(c.reloptions::text, '') || coalesce(
                     (SELECT string_agg(a::text, ',' ORDER BY a::text) FROM unnest(c.relacl) a), '')
                FROM pg_class c WHERE c.relnamespace = '${name}'::regnamespace AND c.relkind IN ('r', 'v', 'S')) everything
            ORDER BY 1""";

    @Test
    void aDatabaseOfStepSevenIsRepaired(TestDatabase database) throws Exception {
        database.execute(atStepSeven("step_seven"));
        database.execute("SELECT step_seven.create_log('trades', 12)");
        Baton.builder(database.url()).schema("step_seven").open().close();
        Baton.builder(database.url()).schema("made_new").open().close();
        database.execute("SELECT made_new.create_log('trades', 12)");

        assertThat(everything(database, "step_seven"))
                .containsExactlyInAnyOrderElementsOf(everything(database, "made_new"));
    }

    @Test
    void theScriptForOtherToolsMakesTheSame(TestDatabase database) throws Exception {
        database.execute(Baton.schemaScript(new SchemaName("by_hand")));
        Baton.builder(database.url()).schema("made_new").open().close();

        assertThat(everything(database, "by_hand"))
                .containsExactlyInAnyOrderElementsOf(everything(database, "made_new"));
    }

    private static List<String> everything(TestDatabase database, String schema) throws SQLException {
        List<String> all = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(new SchemaName(schema).in(EVERYTHING))) {
            while (rows.next()) {
                all.add(rows.getString(1));
            }
        }
        return all;
    }

    static String atStepSeven(String schema) throws IOException {
        try (InputStream script = Objects.requireNonNull(
                AnOlderDatabaseBecomesTheSameAsANewOneTest.class.getResourceAsStream("step-7.sql"))) {
            return new SchemaName(schema).in(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
