package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.pgbaton.pgoutput.Change;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Random rows are written, changed and deleted. A trigger records how PostgreSQL itself describes each change; the
 * stream must say the same, in the same order.
 */
@BatonTest
class RandomChangesTest {
    private static final int TRANSACTIONS = 150;
    private static final String[] PIECES = {
        "", "a", "NULL", "null", "{", "}", "[", "]", ",", ";", "\"", "\\", "\\\\", "'", " ", "\n", "\t", "\u0001",
        "\u001f", "\u007f", "ü", "😀", "\u2028", "\u2029", "\u2027", "\uFFFD", "(1,2)", "\\x00", "$1", "0", "-1", "é́",
        "t", "NaN"
    };

    private static final String TABLES = """
            CREATE TYPE mood AS ENUM ('sad', 'so "so"', 'a,b', '{x}', ' ');
            CREATE DOMAIN amount AS numeric;
            CREATE TABLE thing (
              id int PRIMARY KEY, "odd ""name" text, texts text[], numbers int8[], amount amount, mood mood, moods mood[],
              at timestamptz, times timestamp[], flag bool, flags bool[], real8 float8, document jsonb, documents jsonb[], plain json,
              raw bytea, range numrange, large text);
            ALTER TABLE thing ALTER large SET STORAGE EXTERNAL;
            ALTER TABLE thing REPLICA IDENTITY FULL;
            CREATE TABLE expected (number serial, operation text, before jsonb, after jsonb);
            CREATE FUNCTION ours(thing) RETURNS jsonb LANGUAGE sql AS $$
              SELECT CASE WHEN $1.id IS NULL THEN NULL ELSE to_jsonb($1)
                || jsonb_build_object('at', replace(to_jsonb($1) ->> 'at', '+00:00', 'Z'),
                                      'raw', translate(encode($1.raw, 'base64'), E'\\n', '')) END $$;
            CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET TimeZone = 'UTC' AS $$
              BEGIN
                INSERT INTO expected (operation, before, after)
                VALUES (lower(TG_OP), CASE WHEN TG_OP <> 'INSERT' THEN ours(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN ours(NEW) END);
                RETURN NULL;
              END $$;
            CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON thing FOR EACH ROW EXECUTE FUNCTION note();
            CREATE PUBLICATION p FOR TABLE thing""";

    private static final String VALUES = """
            ?, ?, ?::text[], ?::int8[], ?::numeric, ?::mood, ?::mood[], ?::timestamptz, ?::timestamp[], ?, ?::bool[], ?, ?::jsonb,
            ?::jsonb[], ?::json, ?, ?::numrange, ?""";

    private Random random = new Random();

    @Test
    void theStreamSaysWhatPostgresSays(TestDatabase database) throws Exception {
        long seed = Long.getLong("baton.seed", System.nanoTime());
        random = new Random(seed);
        database.execute(TABLES);
        try (WalReader wal = new WalReader(database, "p");
                Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < TRANSACTIONS; i++) {
                for (int j = random.nextInt(4); j >= 0; j--) {
                    act(connection);
                }
                if (random.nextInt(8) == 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                }
            }
            compare(database, wal.changes(), "-Dbaton.seed=" + seed);
        }
    }

    private void compare(TestDatabase database, List<Change> changes, String seed) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet expected = statement.executeQuery(
                        "SELECT operation, before, after, number FROM expected ORDER BY number");
                PreparedStatement same =
                        connection.prepareStatement("""
                        SELECT c ->> 'operation' = ? AND (c -> 'before') IS NOT DISTINCT FROM coalesce(?::jsonb, 'null')
                           AND (c -> 'after') IS NOT DISTINCT FROM coalesce(?::jsonb, 'null') AND NOT c ? 'unchanged'
                          FROM (SELECT ?::jsonb AS c) _""".replace("c ? 'unchanged'", "c ?? 'unchanged'"))) {
            for (Change change : changes) {
                assertThat(expected.next()).as(seed).isTrue();
                same.setString(1, expected.getString(1));
                same.setString(2, expected.getString(2));
                same.setString(3, expected.getString(3));
                same.setString(4, change.toJson());
                try (ResultSet row = same.executeQuery()) {
                    row.next();
                    assertThat(row.getBoolean(1))
                            .as("%s: %s%n%s%n%s", seed, change.toJson(), expected.getString(2), expected.getString(3))
                            .isTrue();
                }
            }
            assertThat(expected.next()).as(seed).isFalse();
        }
    }

    private void act(Connection connection) throws SQLException {
        switch (random.nextInt(5)) {
            case 0, 1 -> insert(connection);
            case 2 -> execute(connection, "UPDATE thing SET flag = NOT flag WHERE id % 5 = " + random.nextInt(5));
            case 3 ->
                execute(
                        connection,
                        "UPDATE thing SET id = (SELECT max(id) + 1000 FROM thing) WHERE id = (SELECT min(id) FROM thing)");
            default -> execute(connection, "DELETE FROM thing WHERE id = (SELECT max(id) FROM thing WHERE id < 900)");
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void insert(Connection connection) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO thing VALUES (" + VALUES + ") ON CONFLICT DO NOTHING")) {
            insert.setInt(1, random.nextInt(1000));
            insert.setString(2, orNull(text()));
            insert.setArray(3, connection.createArrayOf("text", texts().toArray()));
            insert.setString(
                    4, orNull(random.nextBoolean() ? "{1,NULL,-9223372036854775808}" : "[-3:-2][0:1]={{1,2},{3,4}}"));
            insert.setString(
                    5, orNull(random.nextInt(10) == 0 ? "NaN" : random.nextLong() + "." + random.nextInt(1000) + "0"));
            insert.setString(6, orNull(mood()));
            insert.setArray(7, connection.createArrayOf("text", new String[] {mood(), null, mood()}));
            insert.setString(
                    8,
                    orNull(
                            random.nextInt(9) == 0
                                    ? "infinity"
                                    : "20" + (10 + random.nextInt(80)) + "-03-01 12:00:00." + random.nextInt(1_000_000)
                                            + "+03"));
            insert.setString(9, orNull("{\"2020-02-29 01:02:03\",-infinity,NULL}"));
            insert.setBoolean(10, random.nextBoolean());
            insert.setString(11, orNull("{t,f,NULL}"));
            insert.setDouble(12, Double.longBitsToDouble(random.nextLong()));
            String json = jsonText();
            insert.setString(13, orNull(json));
            insert.setArray(14, connection.createArrayOf("text", new String[] {json, null, "null"}));
            insert.setString(15, orNull(" " + json));
            byte[] raw = new byte[random.nextInt(200)];
            random.nextBytes(raw);
            insert.setBytes(16, raw);
            insert.setString(17, orNull("[" + random.nextInt(5) + ",7.5)"));
            insert.setString(18, orNull(text().repeat(random.nextInt(3) == 0 ? 1000 : 1)));
            insert.executeUpdate();
        }
    }

    private String orNull(String value) {
        return random.nextInt(6) == 0 ? null : value;
    }

    private String mood() {
        return new String[] {"sad", "so \"so\"", "a,b", "{x}", " "}[random.nextInt(5)];
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    private List<String> texts() {
        List<String> texts = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            texts.add(orNull(text()));
        }
        return texts;
    }

    private String jsonText() {
        String text = text().replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n")
                .replace("\t", "\\t")
                .replace("\u0001", "\\u0001")
                .replace("\u001f", "\\u001f");
        return "{\"a\": [\"" + text + "\", 1.50, null, {\"b\": true}]}";
    }
}
