package org.pgbaton.proofs.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.pgbaton.database.SchemaName;
import org.pgbaton.migration.AdoptionFunctions;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Reads every function, view, default, condition and trigger of the schema from the catalog. A function has a
 * search_path of its own, or names the schema of everything in it; a function that works with its owner's rights has a
 * search_path in any case. Names that are resolved when an object is made refer only to PostgreSQL's own objects and
 * Baton's.
 */
@BatonTest
class NothingIsLookedUpAlongTheCallersPathTest {
    private static final String SAFE = "'search_path=pg_catalog, pg_temp' = ANY (coalesce(p.proconfig, '{}'))";
    private static final String OURS = "p.pronamespace = 'baton'::regnamespace";

    /** Words that stand before an opening parenthesis and are no functions. */
    private static final Pattern NO_FUNCTION = Pattern.compile(
            "(?i)if|and|or|not|in|any|all|values|coalesce|greatest|least|nullif|exists|operator|array|when|then|else|as|on|over|filter|"
                    + "like|set|returning|select|where|from|execute|conflict|inherits|return|concurrently|using|by|distinct|is");

    @Test
    void everyFunctionHasAPathOfItsOwnOrNamesEverySchema(TestDatabase database) throws Exception {
        adopt(database);
        database.execute("SELECT baton.create_log('odd', 12)");
        List<String> faults = new ArrayList<>();
        List<String> names = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT p.proname, p.prosrc FROM pg_proc p WHERE " + OURS + " AND NOT " + SAFE)) {
            while (row.next()) {
                String name = row.getString(1);
                names.add(name);
                faultsOf(row.getString(2)).forEach(fault -> faults.add(name + ": " + fault));
            }
        }
        assertThat(names)
                .as("the functions of hot paths, and of adoption")
                .hasSizeGreaterThan(4)
                .contains("end_adoption");
        assertThat(faults).isEmpty();
    }

    @Test
    void whatWorksWithTheOwnersRightsHasAPathOfItsOwn(TestDatabase database) throws Exception {
        adopt(database);
        assertThat(strings(
                        database, "SELECT p.proname FROM pg_proc p WHERE " + OURS + " AND p.prosecdef AND NOT " + SAFE))
                .isEmpty();
        assertThat(strings(database, "SELECT p.proname FROM pg_proc p WHERE " + OURS + " AND p.prosecdef"))
                .contains("guard", "lock_streams", "first_time")
                .anyMatch(name -> name.startsWith("adopted_"));
    }

    @Test
    void viewsDefaultsAndConditionsDependOnPostgresAndOurselvesAlone(TestDatabase database) throws Exception {
        assertThat(strings(database, """
                SELECT d.classid::regclass || ' ' || d.objid || ' needs ' || pg_describe_object(d.refclassid, d.refobjid, 0)
                  FROM pg_depend d
                  JOIN (SELECT 'pg_rewrite'::regclass AS class, w.oid, c.relnamespace AS schema FROM pg_rewrite w JOIN pg_class c ON c.oid = w.ev_class
                        UNION ALL SELECT 'pg_attrdef'::regclass, a.oid, c.relnamespace FROM pg_attrdef a JOIN pg_class c ON c.oid = a.adrelid
                        UNION ALL SELECT 'pg_constraint'::regclass, o.oid, o.connamespace FROM pg_constraint o
                        UNION ALL SELECT 'pg_trigger'::regclass, t.oid, c.relnamespace FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                        UNION ALL SELECT 'pg_class'::regclass, c.oid, c.relnamespace FROM pg_class c WHERE c.relkind = 'i') o
                    ON o.class = d.classid AND o.oid = d.objid AND o.schema = 'baton'::regnamespace
                  LEFT JOIN pg_proc f ON d.refclassid = 'pg_proc'::regclass AND f.oid = d.refobjid
                  LEFT JOIN pg_operator x ON d.refclassid = 'pg_operator'::regclass AND x.oid = d.refobjid
                  LEFT JOIN pg_type t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
                 WHERE coalesce(f.pronamespace, x.oprnamespace, t.typnamespace, 'baton'::regnamespace)
                       NOT IN ('baton'::regnamespace, 'pg_catalog'::regnamespace)""")).isEmpty();
    }

    @Test
    void theReaderFindsWhatIsNotQualifiedSoTheTestCanFail() {
        assertThat(faultsOf("BEGIN PERFORM pg_catalog.pg_notify('baton.' || tg_relid, ''); END"))
                .isNotEmpty();
        assertThat(faultsOf("SELECT now()")).isNotEmpty();
        assertThat(faultsOf("SELECT x::text FROM pg_catalog.pg_class c")).isNotEmpty();
        assertThat(faultsOf("SELECT 1 FROM pg_class c")).isNotEmpty();
        assertThat(faultsOf("DECLARE a text; BEGIN END")).isNotEmpty();
        assertThat(faultsOf("UPDATE baton.log SET a = 1 WHERE b = 2")).isNotEmpty();
        assertThat(faultsOf("UPDATE baton.log SET a = 1, c = 2 WHERE b OPERATOR(pg_catalog.=) 2"))
                .isEmpty();
    }

    /** Quoted text that is SQL itself is read too, without the parts that format() puts in. */
    private static List<String> faultsOf(String body) {
        List<String> faults = new ArrayList<>();
        String code = body.replaceAll("--[^\n]*", "");
        code = code.replaceAll("(?s)\\$re\\$.*?\\$re\\$", "''"); // a regular expression, not a template
        Matcher templates = Pattern.compile("(?s)\\$(\\w+)\\$(.*?)\\$\\1\\$").matcher(code);
        while (templates.find()) {
            faults.addAll(faultsOf(templates.group(2)));
        }
        code = code.replaceAll("(?s)\\$(\\w+)\\$.*?\\$\\1\\$", "''");
        code = code.replaceAll("'(?:[^']|'')*'", "''");
        code = code.replaceAll("%(\\d\\$)?[ILs]", "baton.placeholder").replaceAll("%%", "%");
        code = code.replaceAll("\"(\\w+)\"", "$1");
        find(faults, "a cast to", code, "::\\s*(?!pg_catalog\\.|baton\\.)[\\w.\\[\\]]+");
        find(
                faults,
                "a type",
                code,
                "(?im)^\\s*(?:DECLARE\\s+)?\\w+\\s+(?:text|bigint|integer|boolean|oid|record\\w+|regclass|uuid|interval|timestamptz)\\b\\s*(?:;|:=)");
        find(
                faults,
                "a relation",
                code,
                "(?i)\\b(?:FROM|JOIN|UPDATE|INTO(?! STRICT|\\s+\\w+\\s+(?:FROM|;))|TABLE)\\s+(?!baton\\b|\"?baton|pg_catalog\\.|pg_temp\\.|ONLY|SET\\b|STRICT|\\(|LATERAL|baton_adoption_probe|a\\b|n\\b|'')\\w+(?!\\.)\\b(?!\\s*\\.)");
        Matcher calls = Pattern.compile("(?<![.\\w])([A-Za-z_]\\w*)\\s*\\(")
                .matcher(code.replaceAll("(?i)INTO\\s+[\\w.]+\\s*\\(", "INTO x ")
                        .replaceAll("(?i)\\bAS\\s+\\w+\\s*\\(", "AS x "));
        while (calls.find()) {
            if (!NO_FUNCTION.matcher(calls.group(1)).matches()) {
                faults.add("the function " + calls.group(1));
            }
        }
        String plain = code.replaceAll("OPERATOR\\(pg_catalog\\.[^)]+\\)", " ")
                .replaceAll(":=|=>|::|\\.\\.", " ")
                .replaceAll("(?i)\\b(ERRCODE|MESSAGE|HINT|DETAIL)\\s*=", " ")
                .replaceAll("(?i)GET DIAGNOSTICS \\w+ =", " ")
                .replaceAll("(?i)count\\(\\*\\)|\\.\\*|SELECT\\s+\\*|RETURNING\\s+\\*", " ")
                .replaceAll("(?<![\\w)\\]]\\s?)-(?=\\d)", "");
        Matcher updates =
                Pattern.compile("(?is)\\bSET\\b(.*?)(?=\\bWHERE\\b|;|$)").matcher(plain);
        plain = updates.replaceAll(
                found -> Matcher.quoteReplacement(" " + found.group(1).replaceAll("(^|,)\\s*[\\w.]+\\s*=", "$1 ")));
        find(faults, "the operator", plain, "[+*/<>=~!@#%^&|`?-]+");
        return faults;
    }

    private static void find(List<String> faults, String what, String code, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(code);
        while (matcher.find()) {
            faults.add(what + " " + matcher.group().strip());
        }
    }

    private static void adopt(TestDatabase database) throws SQLException {
        database.execute("CREATE TABLE public.old_outbox (id bigint PRIMARY KEY, payload text, status text)");
        database.execute(AdoptionFunctions.installation(SchemaName.DEFAULT));
        database.execute("""
                SELECT baton.begin_adoption((r), 'me', 'a test') FROM (
                  SELECT jsonb_populate_record(NULL::baton.adoption, jsonb_build_object(
                    'relation', 'public.old_outbox', 'log', 'outbox', 'state', 'draining', 'id_column', 'id', 'fixed_topic', 't',
                    'payload_column', 'payload', 'status_column', 'status', 'pending', ARRAY['NEW'], 'taken', 'BATON')) AS r) a""");
    }

    private static List<String> strings(TestDatabase database, String sql) throws SQLException {
        List<String> all = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                all.add(rows.getString(1));
            }
        }
        return all;
    }
}
