package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.pgoutput.Change;
import org.pgbaton.pgoutput.Operation;
import org.pgbaton.pgoutput.ReplicaIdentity;
import org.pgbaton.pgoutput.WalMessage;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Changes of rows and tables arrive as they happened, even if the tables were altered since. */
@BatonTest
class DecodedChangesTest {
    private static final String LARGE = "repeat('0123456789', 800)";

    private static boolean isAtLeast(TestDatabase database, int version) {
        return database.server().postgres().majorVersion() >= version;
    }

    @Test
    void rowsComeWithCommitOrderPlaceAndTime(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE t (id int PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t");
        try (WalReader wal = new WalReader(database, "p");
                Connection late = database.connect();
                Statement statement = late.createStatement()) {
            late.setAutoCommit(false);
            statement.execute("INSERT INTO t VALUES (1), (2)");
            database.execute("INSERT INTO t VALUES (3)");
            statement.execute("SAVEPOINT s; INSERT INTO t VALUES (4); ROLLBACK TO s; INSERT INTO t VALUES (5)");
            late.commit();

            List<Change> changes = wal.changes();
            assertThat(changes).extracting(change -> change.key(List.of("id"))).containsExactly("3", "1", "2", "5");
            assertThat(changes).extracting(Change::ordinal).containsExactly(1L, 1L, 2L, 3L);
            assertThat(changes.get(0).lsn()).isLessThan(changes.get(1).lsn());
            assertThat(changes.get(1).lsn()).isEqualTo(changes.get(3).lsn());
            Instant now = Instant.parse(
                    database.one("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"));
            assertThat(changes.get(3).committedAt()).isBetween(now.minus(Duration.ofMinutes(1)), now);
            assertThat(changes.get(0).committedAt())
                    .isBeforeOrEqualTo(changes.get(1).committedAt());
        }
    }

    @Test
    void aLargeValueThatWasNotTouchedIsToldApartFromNull(TestDatabase database) throws Exception {
        database.execute("""
                CREATE TABLE t (id int PRIMARY KEY, name text, doc text, other text);
                ALTER TABLE t ALTER doc SET STORAGE EXTERNAL;
                CREATE PUBLICATION p FOR TABLE t""");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO t VALUES (1, 'a', " + LARGE + ")");
            database.execute("UPDATE t SET name = 'b'");
            database.execute("UPDATE t SET doc = 'small'");
            database.execute("UPDATE t SET doc = NULL");
            List<String> json = wal.json();
            assertThat(json.get(1))
                    .endsWith(
                            "\"before\":null,\"after\":{\"id\":1,\"name\":\"b\",\"other\":null},\"unchanged\":[\"doc\"]}");
            assertThat(json.get(2)).endsWith("\"after\":{\"id\":1,\"name\":\"b\",\"doc\":\"small\",\"other\":null}}");
            assertThat(json.get(3)).endsWith("\"after\":{\"id\":1,\"name\":\"b\",\"doc\":null,\"other\":null}}");
        }
    }

    @Test
    void aLargeValueThatWasNotTouchedComesFromTheOldRowIfThatIsThere(TestDatabase database) throws Exception {
        database.execute("""
                CREATE TABLE t (id int PRIMARY KEY, name text, doc text);
                ALTER TABLE t ALTER doc SET STORAGE EXTERNAL;
                ALTER TABLE t REPLICA IDENTITY FULL;
                CREATE PUBLICATION p FOR TABLE t""");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO t VALUES (1, 'a', " + LARGE + ")");
            database.execute("UPDATE t SET name = 'b'");
            database.execute("DELETE FROM t");
            List<Change> changes = wal.changes();
            String large = "0123456789".repeat(800);
            Change update = changes.get(1);
            assertThat(update.after().text("doc"))
                    .isEqualTo(large)
                    .isEqualTo(update.before().text("doc"));
            assertThat(update.before().text("name")).isEqualTo("a");
            assertThat(update.before().isKeyOnly()).isFalse();
            assertThat(update.changed("doc")).isFalse();
            assertThat(update.changed("name")).isTrue();
            assertThat(update.changesKey(List.of("id"))).isFalse();
            assertThat(update.toJson()).doesNotContain("unchanged");
            assertThat(changes.get(2).before().text("doc")).isEqualTo(large);
        }
    }

    @Test
    void aLargeKeyThatWasNotTouchedIsKnownAllTheSame(TestDatabase database) throws Exception {
        // A key over 2 kB does not fit into an index unless it compresses well.
        database.execute("""
                CREATE TABLE t (key text PRIMARY KEY, name text);
                ALTER TABLE t ALTER key SET STORAGE EXTERNAL;
                CREATE PUBLICATION p FOR TABLE t""");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO t VALUES (repeat('x', 2600), 'a')");
            database.execute("UPDATE t SET name = 'b'");
            List<Change> changes = wal.changes();
            Change update = changes.get(1);
            assertThat(update.after().text("key")).isEqualTo("x".repeat(2600));
            assertThat(update.changesKey(List.of("key"))).isFalse();
            assertThat(update.key(List.of("key")))
                    .startsWith("sha256:")
                    .isEqualTo(changes.get(0).key(List.of("key")));
        }
    }

    @Test
    void aChangedKeyIsReportedWithTheOldOne(TestDatabase database) throws Exception {
        database.execute("""
                CREATE TABLE t (a int, b text, c text, PRIMARY KEY (b, a));
                CREATE PUBLICATION p FOR TABLE t""");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO t VALUES (1, 'x', 'c')");
            database.execute("UPDATE t SET a = 2, c = 'd'");
            database.execute("UPDATE t SET a = 2, c = 'e'");
            List<Change> changes = wal.changes();
            List<String> key = List.of("b", "a");
            assertThat(changes).extracting(change -> change.changesKey(key)).containsExactly(false, true, false);
            assertThat(changes.get(1).asDeleteAndInsert())
                    .extracting(change -> change.key(key))
                    .containsExactly("[\"x\",\"1\"]", "[\"x\",\"2\"]");
            assertThat(changes.get(1).relation().identity()).containsExactly("a", "b");
            assertThat(changes.get(1).before().has("c")).isFalse();
        }
    }

    @Test
    void aChosenIndexIsTheIdentity(TestDatabase database) throws Exception {
        database.execute("""
                CREATE TABLE t (id int PRIMARY KEY, code text NOT NULL UNIQUE);
                ALTER TABLE t REPLICA IDENTITY USING INDEX t_code_key;
                CREATE PUBLICATION p FOR TABLE t""");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO t VALUES (1, 'a'); DELETE FROM t");
            List<Change> changes = wal.changes();
            assertThat(changes.get(1).relation().replicaIdentity()).isEqualTo(ReplicaIdentity.INDEX);
            assertThat(changes.get(1).toJson()).contains("\"before\":{\"code\":\"a\"},\"after\":null");
        }
    }

    @Test
    void severalTablesTruncatedAtOnce(TestDatabase database) throws Exception {
        database.execute("""
                CREATE TABLE a (id int PRIMARY KEY);
                CREATE TABLE b (id int PRIMARY KEY REFERENCES a);
                CREATE TABLE c (id int PRIMARY KEY);
                CREATE PUBLICATION p FOR TABLE a, b""");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("TRUNCATE a, c RESTART IDENTITY CASCADE");
            List<WalMessage> messages = wal.messages();
            WalMessage.Truncate truncate = (WalMessage.Truncate) messages.get(messages.size() - 2);
            assertThat(truncate.relations())
                    .extracting(relation -> relation.name())
                    .containsExactlyInAnyOrder("a", "b");
            assertThat(truncate.cascade()).isTrue();
            assertThat(truncate.restartIdentity()).isTrue();
        }
    }

    @Test
    void namesAndTypesAreThoseOfTheTimeOfTheChange(TestDatabase database) throws Exception {
        database.execute("""
                CREATE TABLE t (id int PRIMARY KEY, name text, gone text);
                CREATE PUBLICATION p FOR TABLE t""");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO t VALUES (1, '7', 'x')");
            database.execute("ALTER TABLE t RENAME COLUMN name TO title");
            database.execute("INSERT INTO t VALUES (2, '8', 'x')");
            database.execute("ALTER TABLE t DROP COLUMN gone, ADD COLUMN added boolean DEFAULT true");
            database.execute("INSERT INTO t VALUES (3, '9')");
            database.execute("ALTER TABLE t ALTER COLUMN title TYPE int USING title::int");
            database.execute("INSERT INTO t VALUES (4, 10, false)");
            database.execute(
                    "BEGIN; ALTER TABLE t RENAME TO u; INSERT INTO u VALUES (5, 11); ALTER TABLE u DROP COLUMN added;"
                            + "INSERT INTO u VALUES (6, 12); COMMIT");
            database.execute("INSERT INTO u VALUES (7, 13)");
            database.execute("DROP TABLE u");
            assertThat(wal.json())
                    .filteredOn(json -> json.contains("\"insert\""))
                    .extracting(json -> json.replace(",\"operation\":\"insert\",\"before\":null,\"after\":", " "))
                    .containsSubsequence(
                            "{\"table\":\"public.t\" {\"id\":1,\"name\":\"7\",\"gone\":\"x\"}}",
                            "{\"table\":\"public.t\" {\"id\":2,\"title\":\"8\",\"gone\":\"x\"}}",
                            "{\"table\":\"public.t\" {\"id\":3,\"title\":\"9\",\"added\":true}}",
                            "{\"table\":\"public.t\" {\"id\":4,\"title\":10,\"added\":false}}",
                            "{\"table\":\"public.u\" {\"id\":5,\"title\":11,\"added\":true}}",
                            "{\"table\":\"public.u\" {\"id\":6,\"title\":12}}",
                            "{\"table\":\"public.u\" {\"id\":7,\"title\":13}}");
        }
    }

    @Test
    void aTypeThatIsAlteredInMidStream(TestDatabase database) throws Exception {
        database.execute("""
                CREATE DOMAIN d AS int;
                CREATE TYPE mood AS ENUM ('sad');
                CREATE TABLE t (id d PRIMARY KEY, mood mood);
                CREATE PUBLICATION p FOR TABLE t""");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO t VALUES (1, 'sad')");
            database.execute("ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'");
            database.execute("ALTER TYPE mood ADD VALUE 'happy'");
            database.execute("INSERT INTO t VALUES (2, 'happy')");
            database.execute("DROP TABLE t; DROP TYPE mood; DROP DOMAIN d");
            List<Change> changes = wal.changes();
            assertThat(changes).extracting(change -> change.after().json("id")).containsExactly("1", "2");
            assertThat(changes.get(1).after().json("mood")).isEqualTo("\"happy\"");
        }
    }

    @Test
    void aPartitionedTableSpeaksAsOneOrAsItsPartitions(TestDatabase database) throws Exception {
        database.execute("""
                CREATE TABLE t (id int, region text, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
                CREATE TABLE t_eu PARTITION OF t FOR VALUES IN ('eu');
                CREATE TABLE t_us (region text NOT NULL, dropped text, id int NOT NULL);
                ALTER TABLE t_us DROP COLUMN dropped;
                ALTER TABLE t ATTACH PARTITION t_us FOR VALUES IN ('us');
                CREATE PUBLICATION whole FOR TABLE t WITH (publish_via_partition_root = true);
                CREATE PUBLICATION parts FOR TABLE t""");
        try (WalReader wal = new WalReader(database, "whole")) {
            database.execute("INSERT INTO t VALUES (1, 'eu'), (2, 'us')");
            database.execute("UPDATE t SET region = 'us' WHERE id = 1");
            List<Change> changes = wal.changes();
            assertThat(changes).extracting(Change::table).containsOnly("public.t");
            assertThat(changes)
                    .extracting(Change::operation)
                    .containsExactly(Operation.INSERT, Operation.INSERT, Operation.DELETE, Operation.INSERT);
            assertThat(changes)
                    .extracting(change -> change.key(List.of("id", "region")))
                    .containsExactly("[\"1\",\"eu\"]", "[\"2\",\"us\"]", "[\"1\",\"eu\"]", "[\"1\",\"us\"]");
        }
        database.one("SELECT pg_drop_replication_slot(?)", database.name());
        try (WalReader wal = new WalReader(database, "parts")) {
            database.execute("INSERT INTO t VALUES (3, 'eu'), (4, 'us')");
            assertThat(wal.json())
                    .containsExactly(
                            "{\"table\":\"public.t_eu\",\"operation\":\"insert\",\"before\":null,\"after\":{\"id\":3,\"region\":\"eu\"}}",
                            "{\"table\":\"public.t_us\",\"operation\":\"insert\",\"before\":null,\"after\":{\"region\":\"us\",\"id\":4}}");
        }
    }

    @Test
    void generatedColumnsComeIfThePublicationHasThem(TestDatabase database) throws Exception {
        database.execute("""
                CREATE TABLE t (id int PRIMARY KEY, twice int GENERATED ALWAYS AS (id * 2) STORED);
                CREATE PUBLICATION p FOR TABLE t""");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO t VALUES (1)");
            assertThat(wal.json().get(0)).contains("\"after\":{\"id\":1}");
            if (isAtLeast(database, 18)) {
                database.execute("ALTER PUBLICATION p SET (publish_generated_columns = stored)");
                database.execute("INSERT INTO t VALUES (2)");
                assertThat(wal.json().get(0)).contains("\"after\":{\"id\":2,\"twice\":4}");
            }
        }
    }

    @Test
    void aPublicationsColumnListAndRowFilter(TestDatabase database) throws Exception {
        assumeTrue(isAtLeast(database, 15), "from PostgreSQL 15 on");
        database.execute("""
                CREATE TABLE t (id int PRIMARY KEY, secret text, amount int);
                CREATE PUBLICATION p FOR TABLE t (amount, id) WHERE (id > 10)""");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO t VALUES (1, 'x', 1), (11, 'x', 2)");
            database.execute("UPDATE t SET id = 12 WHERE id = 1");
            database.execute("UPDATE t SET id = 2 WHERE id = 11");
            assertThat(wal.json())
                    .containsExactly(
                            "{\"table\":\"public.t\",\"operation\":\"insert\",\"before\":null,\"after\":{\"id\":11,\"amount\":2}}",
                            "{\"table\":\"public.t\",\"operation\":\"insert\",\"before\":null,\"after\":{\"id\":12,\"amount\":1}}",
                            "{\"table\":\"public.t\",\"operation\":\"delete\",\"before\":{\"id\":11},\"after\":null}");
        }
    }

    @Test
    void messagesWithoutATableBelongToTheirTransaction(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE t (id int PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute(
                    "BEGIN; INSERT INTO t VALUES (1); SELECT pg_logical_emit_message(true, 'a \"b\"', 'ü'); INSERT INTO t VALUES (2); COMMIT");
            database.execute("BEGIN; SELECT pg_logical_emit_message(true, 'never', ''); ROLLBACK");
            database.execute("BEGIN; SELECT pg_logical_emit_message(false, 'always', ''); ROLLBACK");
            List<WalMessage> messages = wal.messages();
            assertThat(messages)
                    .extracting(message -> message.getClass().getSimpleName())
                    .containsExactly("Begin", "Description", "Insert", "Emitted", "Insert", "Commit", "Emitted");
            WalMessage.Emitted inside = (WalMessage.Emitted) messages.get(3);
            assertThat(inside.transactional()).isTrue();
            assertThat(inside.prefix()).isEqualTo("a \"b\"");
            assertThat(inside.text()).isEqualTo("ü");
            assertThat(((WalMessage.Emitted) messages.get(6)).transactional()).isFalse();
        }
    }

    @Test
    void oddNames(TestDatabase database) throws Exception {
        database.execute("""
                CREATE SCHEMA "S ""x";
                CREATE TABLE "S ""x"."T.ü" ("The ""Key""\" text PRIMARY KEY, "back\\slash" int, "😀" int, "select" int);
                CREATE PUBLICATION p FOR TABLE "S ""x"."T.ü\"""");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO \"S \"\"x\".\"T.ü\" VALUES ('k', 1, 2, 3)");
            assertThat(wal.json())
                    .containsExactly("{\"table\":\"S \\\"x.T.ü\",\"operation\":\"insert\",\"before\":null,"
                            + "\"after\":{\"The \\\"Key\\\"\":\"k\",\"back\\\\slash\":1,\"😀\":2,\"select\":3}}");
        }
    }

    @Test
    void aTableWithoutColumnsAndOneWithAThousand(TestDatabase database) throws Exception {
        StringBuilder columns = new StringBuilder("c0 int");
        for (int i = 1; i < 1000; i++) {
            columns.append(", c").append(i).append(" int DEFAULT ").append(i);
        }
        database.execute(
                "CREATE TABLE none (); CREATE TABLE many (" + columns + "); CREATE PUBLICATION p FOR TABLE none, many");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO none DEFAULT VALUES; INSERT INTO many DEFAULT VALUES");
            List<Change> changes = wal.changes();
            assertThat(changes.get(0).toJson()).contains("\"after\":{}");
            assertThat(changes.get(1).after().text("c999")).isEqualTo("999");
            assertThat(changes.get(1).after().isNull("c0")).isTrue();
        }
    }

    @Test
    void rowsOfOneCopyHaveDifferentPlaces(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE t (id int PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t");
        try (WalReader wal = new WalReader(database, "p")) {
            database.execute("INSERT INTO t SELECT generate_series(1, 5000)");
            List<Change> changes = wal.changes();
            for (int i = 0; i < 5000; i++) {
                assertThat(changes.get(i).ordinal()).isEqualTo(i + 1);
                assertThat(changes.get(i).key(List.of("id"))).isEqualTo(String.valueOf(i + 1));
            }
        }
    }
}
