package org.pgbaton.proofs.capture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * Writes the file that the decoder's tests read: each type of message, from the PostgreSQL on the class path. The
 * argument is the file.
 */
final class RecordMessages {
    private static final String TABLES = """
            CREATE TYPE mood AS ENUM ('sad', 'happy');
            CREATE DOMAIN amount AS numeric(12, 2);
            CREATE TABLE item (
              id int PRIMARY KEY, name varchar(80), price amount, mood mood, moods mood[], tags text[], doc text);
            ALTER TABLE item ALTER doc SET STORAGE EXTERNAL;
            CREATE TABLE whole (LIKE item INCLUDING ALL);
            ALTER TABLE whole REPLICA IDENTITY FULL;
            CREATE SCHEMA "Odd";
            CREATE TABLE "Odd"."o.d""d" ("a""b" text, b text NOT NULL UNIQUE);
            ALTER TABLE "Odd"."o.d""d" REPLICA IDENTITY USING INDEX "o.d""d_b_key";
            CREATE PUBLICATION everything FOR ALL TABLES;
            SELECT pg_replication_origin_create('elsewhere');
            """;

    private static final List<String> TRANSACTIONS = List.of(
            """
            INSERT INTO item VALUES
              (1, 'a "b" \\ ü😀', 12.5, 'happy', '{sad,NULL}', '{x,"y,z"}', repeat('0123456789', 210)),
              (2, NULL, NULL, NULL, NULL, NULL, NULL)""",
            "UPDATE item SET name = 'new' WHERE id = 1",
            "UPDATE item SET id = 3 WHERE id = 1",
            "DELETE FROM item WHERE id = 3",
            """
            INSERT INTO whole VALUES
              (1, 'a "b" \\ ü😀', 12.5, 'happy', '{sad,NULL}', '{x,"y,z"}', repeat('0123456789', 210))""",
            "UPDATE whole SET name = 'new' WHERE id = 1",
            "DELETE FROM whole WHERE id = 1",
            """
            BEGIN;
            SELECT pg_replication_origin_session_setup('elsewhere');
            SELECT pg_replication_origin_xact_setup('0/ABCDEF', '2020-01-01 00:00:00+00');
            INSERT INTO "Odd"."o.d""d" VALUES ('1', '2');
            COMMIT;
            SELECT pg_replication_origin_session_reset();""",
            "DELETE FROM \"Odd\".\"o.d\"\"d\"",
            "TRUNCATE item, whole RESTART IDENTITY",
            "SELECT pg_logical_emit_message(false, 'outside', '\\x00ff10'::bytea)",
            "SELECT pg_logical_emit_message(true, 'inside', '{\"a\": \"ü\"}')");

    private RecordMessages() {}

    public static void main(String[] arguments) throws SQLException, IOException {
        List<String> lines = new ArrayList<>();
        try (TestServer server = TestServer.start(Map.of());
                TestDatabase database = server.newDatabase();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(TABLES);
            statement.execute("SELECT pg_create_logical_replication_slot('recorder', 'pgoutput')");
            for (String transaction : TRANSACTIONS) {
                statement.execute(transaction);
            }
            try (ResultSet message = statement.executeQuery("""
                    SELECT lsn, xid, encode(data, 'hex')
                      FROM pg_logical_slot_peek_binary_changes('recorder', NULL, NULL,
                             'proto_version', '1', 'publication_names', 'everything', 'messages', 'true')""")) {
                while (message.next()) {
                    lines.add(message.getString(1) + " " + message.getString(2) + " " + message.getString(3));
                }
            }
        }
        Files.write(Path.of(arguments[0]), lines);
    }
}
