package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.pgbaton.pgoutput.Change;
import org.pgbaton.pgoutput.Column;
import org.pgbaton.pgoutput.Decoder;
import org.pgbaton.pgoutput.Relation;
import org.pgbaton.pgoutput.Row;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A value of any type arrives as it was written. */
@BatonTest
class DecodedTypesTest {

    /** Type, value in SQL, and the expected JSON; no JSON means that PostgreSQL's own {@code to_jsonb} gives it. */
    static final String[][] VALUES = {
        {"boolean", "true"},
        {"boolean", "false"},
        {"smallint", "-32768"},
        {"integer", "2147483647"},
        {"bigint", "-9223372036854775808"},
        {"oid", "4294967295", "4294967295"},
        {"real", "1.1e-30"},
        {"real", "'NaN'"},
        {"double precision", "1.7976931348623157e308"},
        {"double precision", "'-Infinity'"},
        {"double precision", "0.1"},
        {"numeric", "123456789012345678901234567890.000000000010"},
        {"numeric", "'NaN'"},
        {"numeric", "'-Infinity'"},
        {"numeric(10,2)", "12"},
        {"money", "1234.5", "\"$1,234.50\""},
        {"text", "E'a\"b\\\\c\\n\\r\\t\\b\\f\\x01\\x7f'"},
        {"text", "'ü😀' || chr(8232) || chr(8233)"},
        {"text", "''"},
        {"varchar(10)", "'abc'"},
        {"char(5)", "'ab'", "\"ab   \""},
        {"\"char\"", "'x'"},
        {"name", "'abc'"},
        {"uuid", "'0190a7c2-0000-7000-8000-000000000000'"},
        {"inet", "'10.0.0.1/8'"},
        {"cidr", "'fe80::/10'"},
        {"macaddr", "'08:00:2b:01:02:03'"},
        {"bit(4)", "B'1010'"},
        {"varbit", "B'101'"},
        {"date", "'2030-01-31'"},
        {"date", "'0044-03-15 BC'", "\"-000043-03-15\""},
        {"date", "'12345-03-15'", "\"+012345-03-15\""},
        {"date", "'infinity'"},
        {"time", "'24:00'"},
        {"time", "'12:34:56.789'"},
        {"timetz", "'12:34:56.789+02'", "\"12:34:56.789+02:00\""},
        {"timetz", "'12:00+00'", "\"12:00:00Z\""},
        {"timestamp", "'2030-01-31 12:34:56.000001'"},
        {"timestamp", "'infinity'"},
        {"timestamp", "'0044-03-15 12:00 BC'", "\"-000043-03-15T12:00:00\""},
        {"timestamp", "'12345-03-15 12:00'", "\"+012345-03-15T12:00:00\""},
        {"timestamptz", "'2030-01-31 12:34:56.5+02'", "\"2030-01-31T10:34:56.5Z\""},
        {"timestamptz", "'-infinity'"},
        {"timestamptz", "'0044-03-15 12:00+00 BC'", "\"-000043-03-15T12:00:00Z\""},
        {"interval", "'1 year 2 mons -3 days 04:05:06.7'"},
        {"bytea", "'\\x00ff10'", "\"AP8Q\""},
        {"bytea", "''", "\"\""},
        {"json", "'{\"b\" : 1,  \"a\":[null, \"\\u00e4\"]}'"},
        {"jsonb", "'{\"b\": 1.50, \"a\": [null, true]}'"},
        {"jsonb", "'null'"},
        {"jsonb", "'\"text\"'"},
        {"xml", "'<a>b</a>'"},
        {"point", "'(1,2)'"},
        {"box", "'(1,2),(0,0)'"},
        {"int4range", "'[1,5)'"},
        {"tstzrange", "'[2030-01-31 00:00+00,)'"},
        {"int4multirange", "'{[1,5),[7,9)}'"},
        {"tsvector", "'a:1 b:2'"},
        {"pg_lsn", "'16/B374D848'"},
        {"xid8", "'17'"},
        {"integer[]", "'{}'"},
        {"integer[]", "'{1,NULL,-3}'"},
        {"integer[][]", "'{{1,2},{3,4}}'"},
        {"integer[]", "'[0:2]={1,2,3}'"},
        {"integer[]", "'[-1:0][5:6]={{1,2},{3,4}}'"},
        {"text[]", "ARRAY['a', 'b,c', '', NULL, 'NULL', 'null', '{x}', E'q\"\\\\\\n', ' ', chr(8232)]"},
        {"boolean[]", "'{t,f,NULL}'"},
        {"numeric[]", "'{1.50,NaN,Infinity}'"},
        {"double precision[]", "'{1e300,NaN}'"},
        {"date[]", "'{2030-01-31,infinity}'"},
        {"timestamp[]", "'{\"2030-01-31 12:34:56\"}'"},
        {"timestamptz[]", "'{\"2030-01-31 12:34:56+00\",infinity}'", "[\"2030-01-31T12:34:56Z\",\"infinity\"]"},
        {"bytea[]", "ARRAY['\\x00ff'::bytea, NULL]", "[\"AP8=\",null]"},
        {"json[]", "ARRAY['{\"a\": \"x,\\\"y\"}', 'null', NULL]::json[]"},
        {"jsonb[]", "ARRAY['[1, {\"a\": \"\\\\\"}]', 'null', NULL]::jsonb[]"},
        {"uuid[]", "ARRAY['0190a7c2-0000-7000-8000-000000000000']::uuid[]"},
        {"interval[]", "ARRAY['1 day 02:00']::interval[]"},
        {"box[]", "'{(1,2),(0,0);(3,4),(1,1)}'"},
        {"int4range[]", "ARRAY['[1,5)', 'empty']::int4range[]"},
        {"mood", "'so \"so\"'"},
        {"mood[]", "ARRAY['happy', 'so \"so\"', NULL]::mood[]"},
        {"amount", "12.50"},
        {"amounts", "'{1.50,2}'"},
        {"moody", "'happy'"},
        {"deeper", "7"},
        {"deepest", "8"},
        {"flag", "true"},
        {"crate[]", "'{(1,2),(0,0);(3,4),(1,1)}'", "[\"(1,2),(0,0)\",\"(3,4),(1,1)\"]"},
        {"crates", "'{(1,2),(0,0);(3,4),(1,1)}'", "[\"(1,2),(0,0)\",\"(3,4),(1,1)\"]"},
        {"boxes", "'{(1,2),(0,0);(3,4),(1,1)}'"},
        {"amount[]", "'{1.5,NULL}'", "[\"1.50\",null]"},
        {"pair", "ROW(1, 'a \"b\"')", "\"(1,\\\"a \\\"\\\"b\\\"\\\"\\\")\""},
        {"pair[]", "ARRAY[ROW(1, 'a'), NULL]::pair[]", "[\"(1,a)\",null]"},
        {"span", "'[1.5,2)'", "\"[1.5,2)\""},
    };

    static void types(Statement statement) throws SQLException {
        statement.execute("""
                CREATE TYPE mood AS ENUM ('sad', 'happy', 'so "so"');
                CREATE DOMAIN amount AS numeric(12, 2) CHECK (VALUE > 0);
                CREATE DOMAIN amounts AS numeric(12, 2)[];
                CREATE DOMAIN moody AS mood;
                CREATE DOMAIN deep AS integer;
                CREATE DOMAIN deeper AS deep;
                CREATE DOMAIN deepest AS deeper;
                CREATE DOMAIN crate AS box;
                CREATE DOMAIN crates AS crate[];
                CREATE DOMAIN boxes AS box[];
                CREATE DOMAIN flag AS boolean;
                CREATE TYPE pair AS (number integer, word text);
                CREATE TYPE span AS RANGE (subtype = double precision)""");
    }

    @Test
    void everyTypeArrivesAsPostgresItselfWouldWriteIt(TestDatabase database) throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (String setting : Decoder.SETTINGS) {
                statement.execute(setting);
            }
            types(statement);
            List<String> columns = new ArrayList<>();
            List<String> values = new ArrayList<>();
            for (int i = 0; i < VALUES.length; i++) {
                columns.add("c" + i + " " + VALUES[i][0]);
                values.add(VALUES[i][1]);
            }
            statement.execute("CREATE TABLE everything (" + String.join(", ", columns) + ")");
            statement.execute("CREATE PUBLICATION p FOR TABLE everything");
            try (WalReader wal = new WalReader(database, "p")) {
                statement.execute("INSERT INTO everything VALUES (" + String.join(", ", values) + ")");
                statement.execute("INSERT INTO everything DEFAULT VALUES");
                List<Change> changes = wal.changes();
                SoftAssertions softly = new SoftAssertions();
                for (int i = 0; i < VALUES.length; i++) {
                    compare(softly, connection, changes.get(0).after(), "c" + i, VALUES[i]);
                    softly.assertThat(changes.get(1).after().isNull("c" + i)).isTrue();
                }
                softly.assertAll();
            }
        }
    }

    private static void compare(SoftAssertions softly, Connection connection, Row row, String column, String[] value)
            throws SQLException {
        String json = row.json(column);
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT format('%%s', %1$s), ?::jsonb = to_jsonb(%1$s) FROM everything LIMIT 1".formatted(column))) {
            select.setString(1, json);
            try (ResultSet expected = select.executeQuery()) {
                expected.next();
                String what = String.join(" ", value) + ": " + json;
                if (value.length > 2) {
                    softly.assertThat(json).as(what).isEqualTo(value[2]);
                } else {
                    softly.assertThat(expected.getBoolean(2)).as(what).isTrue();
                }
                softly.assertThat(row.text(column)).as(what).isEqualTo(expected.getString(1));
            }
        }
    }

    @Test
    void everyArrayOfPostgresIsKnown(TestDatabase database) throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            List<String> columns = new ArrayList<>();
            Map<String, String> delimiters = new LinkedHashMap<>();
            try (ResultSet types = statement.executeQuery("""
                    SELECT a.typname, format('c%s %s', a.oid, format_type(a.oid, NULL)), t.typdelim
                      FROM pg_type a JOIN pg_type t ON t.oid = a.typelem
                     WHERE a.typcategory = 'A' AND a.typlen = -1 AND a.oid < 10000 AND t.typtype <> 'p' AND t.typrelid = 0
                       AND a.typname NOT IN ('int2vector', 'oidvector')""")) {
                while (types.next()) {
                    columns.add(types.getString(2));
                    delimiters.put(types.getString(1), types.getString(3));
                }
            }
            assertThat(columns).hasSizeGreaterThan(70);
            statement.execute("CREATE TABLE everything (" + String.join(", ", columns) + ")");
            statement.execute("CREATE PUBLICATION p FOR TABLE everything");
            try (WalReader wal = new WalReader(database, "p")) {
                statement.execute("INSERT INTO everything DEFAULT VALUES");
                Relation relation = wal.changes().get(0).relation();
                for (Column column : relation.columns()) {
                    assertThat(column.type().isArray()).as(column.toString()).isTrue();
                    assertThat(String.valueOf(column.type().delimiter()))
                            .isEqualTo(delimiters.get(column.type().name()));
                }
            }
        }
    }

    @Test
    void theConnectionsOwnSettingsDoNotMatter(TestDatabase database) throws Exception {
        for (String setting :
                List.of("bytea_output = 'escape'", "IntervalStyle = 'iso_8601'", "DateStyle = 'German'")) {
            database.execute("ALTER DATABASE " + database.name() + " SET " + setting);
        }
        database.execute("""
                CREATE TABLE t (a bytea, b interval, c timestamptz, d double precision, e date);
                CREATE PUBLICATION p FOR TABLE t""");
        // The driver tells the server the JVM's time zone, whatever the database has.
        TimeZone here = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kolkata"));
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute(
                    "INSERT INTO t VALUES ('\\x00ff', '1 day', '2030-01-31 00:00+00', 0.30000000000000004, '2030-01-31')");
            assertThat(wal.json().get(0))
                    .contains(
                            "\"after\":{\"a\":\"AP8=\",\"b\":\"1 day\",\"c\":\"2030-01-31T00:00:00Z\",\"d\":0.30000000000000004,"
                                    + "\"e\":\"2030-01-31\"}");
        } finally {
            TimeZone.setDefault(here);
        }
    }
}
