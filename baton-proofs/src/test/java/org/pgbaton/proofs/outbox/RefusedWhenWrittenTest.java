package org.pgbaton.proofs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.ExpectedVersion;
import org.pgbaton.log.LogException;
import org.pgbaton.log.LogOptions;
import org.pgbaton.log.Message;
import org.pgbaton.outbox.Outbox;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.PGConnection;

/** A message that could never be published is refused when it is written, by Java and by the database alike; everything else is taken. */
@BatonTest
class RefusedWhenWrittenTest {
    private static final String INSERT =
            "INSERT INTO baton.outbox (topic, headers, payload, data) VALUES (?, ?::json, ?::json, ?)";

    @Test
    void anyTopicThatTargetsTakeIsTaken(TestDatabase database) throws Exception {
        for (String topic :
                List.of("t", "trades.v1_A-b", "orders/eu:7#x", "~!$%&*()+,;=?@[]^`{|}'\"\\<>", "x".repeat(249))) {
            assertTaken(database, draft().topic(topic), topic);
        }
    }

    @Test
    void aTopicThatIsMissingOrThatBrokersRefuseIsRefused(TestDatabase database) throws Exception {
        assertRefused(database, draft(), "the message has no topic: say where it goes");
        assertRefused(database, draft().topic(""), "the message has no topic: say where it goes");
        assertRefused(database, draft().topic("x".repeat(250)), "x…' has 250 characters: give 1 to 249");
        for (String topic :
                List.of(" trades", "trades ", "two words", "a\tb", "a\n", "größe", "😀", "a\u007f", "\u00a0")) {
            assertRefused(database, draft().topic(topic), "has a blank, a control character or one that is not ASCII");
        }
    }

    @Test
    void thePayloadsBytesCountNotItsCharacters(TestDatabase database) throws Exception {
        String json = "\"" + "ü".repeat(499_999) + "\""; // a million bytes in UTF-8
        assertTaken(database, Draft.json(json).topic("t"), "t");
        assertRefused(
                database,
                Draft.json(json + " ").topic("t"),
                "the payload has 1000001 bytes, and log 'outbox' takes 1000000: send a reference to it");
        assertTaken(database, Draft.bytes(new byte[1_000_000]).topic("t"), "t");
        assertRefused(database, Draft.bytes(new byte[1_000_001]).topic("t"), "the payload has 1000001 bytes");
    }

    /** A value that is copied from a table arrives compressed. */
    @Test
    void aCompressedPayloadIsMeasuredAsItIsSent(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE large AS SELECT to_json(repeat('x', 2000000)) AS payload");
        assertThatThrownBy(() ->
                        database.execute("INSERT INTO baton.outbox (topic, payload) SELECT 't', payload FROM large"))
                .hasMessageContaining("the payload has 2000002 bytes");
    }

    @Test
    void headersAreNamesAndValuesOfALimitedSize(TestDatabase database) throws Exception {
        for (String headers : List.of(
                "{}",
                " {\"a\": \"{[\", \"b\" : 1.5e3, \"c\":true,\"d\":null} ",
                "{\"a\\\"{\": \"\\\\\", \"[\": \"\\u0000\"}",
                "{\"a\": \"" + "x".repeat(16_384 - 9) + "\"}")) {
            assertTaken(database, draft().topic("t").headersJson(headers), "t");
        }
        for (String headers : List.of("{\"a\": {}}", "{\"a\": [1]}", "{\"a\": \"\\\\\", \"b\": []}")) {
            assertRefused(
                    database,
                    draft().topic("t").headersJson(headers),
                    "the headers are not a JSON object of texts, numbers");
        }
        for (String headers : List.of("[]", "null", "\"{}\"", "1", "[{}]")) {
            assertThat(refusalByDatabase(database, "t", headers, "1", null))
                    .contains("the headers are not a JSON object");
        }
        assertRefused(
                database,
                draft().topic("t").headersJson("{\"a\": \"" + "x".repeat(16_385 - 9) + "\"}"),
                "the headers have 16385 bytes: give at most 16384");
    }

    @Test
    void whatIsRefusedDrawsNoPosition(TestDatabase database) throws Exception {
        assertThat(refusalByDatabase(database, null, null, "1", null)).isNotNull();
        assertThat(database.one("INSERT INTO baton.outbox (topic, payload) VALUES ('t', '1') RETURNING position"))
                .isEqualTo("1");
    }

    @Test
    void neitherCopyNorAReplicasSessionGetsBy(TestDatabase database) throws Exception {
        try (Connection connection = database.connect()) {
            assertThatThrownBy(() -> connection
                            .unwrap(PGConnection.class)
                            .getCopyAPI()
                            .copyIn(
                                    "COPY baton.outbox (topic, payload) FROM STDIN (FORMAT csv)",
                                    new StringReader("t,1\n,2\n")))
                    .hasMessageContaining("the message has no topic");
            connection.createStatement().execute("SET session_replication_role = replica");
            assertThatThrownBy(() ->
                            connection.createStatement().execute("INSERT INTO baton.outbox (payload) VALUES ('1')"))
                    .hasMessageContaining("the message has no topic")
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            refused -> assertThat(refused.getSQLState()).isEqualTo("23514"));
        }
        assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("0");
    }

    @Test
    void javaRefusesBeforeItCostsTheTransaction(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            Outbox outbox = baton.outbox();
            connection.setAutoCommit(false);
            Appended first = outbox.send(connection, draft().topic("trades").key("P7"));
            assertThatThrownBy(() -> outbox.send(connection, List.of(draft().topic("trades"), draft())))
                    .isInstanceOf(IllegalArgumentException.class);
            outbox.send(connection, List.of(draft().topic("trades").key("P7"), draft().topic("trades")));
            connection.commit();

            List<Message> sent = outbox.log().read().list();
            assertThat(sent).hasSize(3);
            assertThat(sent.get(0).id()).isEqualTo(first.id());
            assertThat(sent.get(0).position()).isEqualTo(first.position());
            assertThat(sent.get(0).topic()).isEqualTo("trades");
            assertThat(sent.get(2).key()).isEqualTo(sent.get(2).id().toString());
        }
    }

    @Test
    void sendingWithoutATransactionTakesOneOfItsOwn(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            Draft message = draft().topic("trades").key("P7");
            long position = baton.outbox().sendNow(message).position();
            assertThat(baton.outbox().sendNow(List.of(message, draft().topic("trades"))))
                    .extracting(Appended::duplicate)
                    .containsExactly(true, false);
            assertThat(baton.outbox().sendNow(message).position()).isEqualTo(position);
            assertThatThrownBy(() -> baton.outbox().send(connection, message))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void otherLogsTakeAnythingUnlessTheyAreMadeAsOutboxes(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            baton.log("events").append(draft());
            assertThatThrownBy(() -> baton.outbox("events"))
                    .isInstanceOf(LogException.class)
                    .hasMessageContaining("The log 'events' is no outbox: append to it with baton.log(\"events\")");

            assertThat(baton.logs().create("mails", LogOptions.defaults().outbox(10)))
                    .isTrue();
            assertThat(baton.logs().create("mails", LogOptions.defaults().outbox()))
                    .isFalse();
            assertThatThrownBy(() -> baton.logs().create("mails"))
                    .hasMessageContaining("The log 'mails' is there, and is an outbox");
            assertThatThrownBy(() ->
                            baton.logs().create("events", LogOptions.defaults().outbox()))
                    .hasMessageContaining("The log 'events' is there, and is no outbox");
            baton.outbox("mails").sendNow(Draft.json("1234567890").topic("t"));
            assertThatThrownBy(() -> baton.outbox("mails")
                            .sendNow(Draft.json("12345678901").topic("t")))
                    .hasMessageContaining("The payload has 11 bytes, and log 'mails' takes 10");
        }
    }

    @Test
    void theLimitCanBeChangedAndIsRecorded(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("operator")) {
            baton.logs().setPayloadLimit("outbox", 20);
            assertThat(baton.logs().show("outbox").payloadLimit()).isEqualTo(20);
            assertThat(refusalByDatabase(database, "t", null, "123456789012345678901", null))
                    .contains("takes 20");
            assertThatThrownBy(() -> baton.outbox()
                            .sendNow(Draft.json("123456789012345678901").topic("t")))
                    .hasMessageContaining("takes 20");
            baton.logs().setPayloadLimit("outbox", 21);
            baton.outbox().sendNow(Draft.json("123456789012345678901").topic("t"));
            assertThat(database.one("SELECT who || what || subject || detail FROM baton.action ORDER BY id LIMIT 1"))
                    .isEqualTo("operatorpayload limitlog outbox20 bytes");
            try (Connection replica = database.connect()) {
                replica.createStatement().execute("SET session_replication_role = replica");
                assertThatThrownBy(() ->
                                replica.createStatement().execute("INSERT INTO baton.outbox (payload) VALUES ('1')"))
                        .hasMessageContaining("the message has no topic");
            }
            assertThatThrownBy(() -> baton.logs().setPayloadLimit("events", 5)).hasMessageContaining("is no outbox");
            assertThatThrownBy(() -> baton.logs().setPayloadLimit("outbox", 0))
                    .hasMessageContaining("give 1 to 100000000 (default 1000000)");
        }
    }

    @Test
    void changingTheLimitWaitsForNoWriterAndHoldsUpNone(TestDatabase database) throws Exception {
        String insert = "INSERT INTO baton.outbox (topic, payload) VALUES ('t', '%s')";
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            open.createStatement().execute("SET lock_timeout = '5s'");
            open.setAutoCommit(false);
            open.createStatement().execute(insert.formatted("123456"));

            Background.run(() -> {
                        baton.logs().setPayloadLimit("outbox", 5);
                        return true;
                    })
                    .get(20, TimeUnit.SECONDS);

            open.createStatement().execute(insert.formatted("12345"));
            open.commit();
            assertThatThrownBy(() -> open.createStatement().execute(insert.formatted("123456")))
                    .hasMessageContaining("the payload has 6 bytes, and log 'outbox' takes 5");
        }
    }

    @Test
    void whoIsInTheWayForTooLongIsNamed(TestDatabase database) throws Exception {
        try (Connection open = DriverManager.getConnection(database.url() + "&ApplicationName=report")) {
            open.setAutoCommit(false);
            open.createStatement().execute("INSERT INTO baton.outbox (topic, payload) VALUES ('t', '1')");
            assertThatThrownBy(() ->
                            database.one("SELECT baton.lock_briefly('baton.outbox', 'SHARE ROW EXCLUSIVE', '300 ms')"))
                    .hasMessageContaining("baton.outbox is in use: report (process ")
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            busy -> assertThat(Fault.of(busy)).isEqualTo(Fault.IN_USE));
        }
    }

    /** Rows from before the upgrade, which nobody checked. */
    @Test
    void whatIsThereAlreadyStaysAndCanBeRedacted(TestDatabase database) throws Exception {
        database.execute("ALTER TABLE baton.outbox DISABLE TRIGGER baton_append");
        database.execute(
                "INSERT INTO baton.outbox (position, recorded_at, id, lane, key, payload)"
                        + " VALUES (nextval('baton.outbox_position'), now(), gen_random_uuid(), 0, 'k', '{\"name\": \"Ada\"}')");
        database.execute("ALTER TABLE baton.outbox ENABLE ALWAYS TRIGGER baton_append");
        try (Baton baton = database.baton()) {
            baton.logs().setPayloadLimit("outbox", 5);
            baton.logs().redact("outbox", 1, "me", "law");
            assertThat(baton.log("outbox").read().list().get(0).text()).isEqualTo("{\"redacted\":true}");
        }
    }

    private static Draft draft() {
        return Draft.json("1");
    }

    private static void assertTaken(TestDatabase database, Draft draft, String topic) throws Exception {
        Message message;
        try (Baton baton = database.baton()) {
            long position = baton.outbox().sendNow(draft).position();
            message = baton.log("outbox").read().from(position).limit(1).list().get(0);
        }
        assertThat(message.topic()).isEqualTo(topic);
        assertThat(refusalByDatabase(
                        database,
                        topic,
                        message.headers(),
                        message.isJson() ? message.text() : null,
                        message.isJson() ? null : message.payload()))
                .isNull();
    }

    /** Java and the database say the same, in Java with a capital and a full stop. */
    private static void assertRefused(TestDatabase database, Draft draft, String because) throws Exception {
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            assertThatThrownBy(() -> baton.outbox().sendNow(draft))
                    .isInstanceOf(IllegalArgumentException.class)
                    .satisfies(refused -> assertThat(refused.getMessage())
                            .containsIgnoringCase(because)
                            .endsWith("."));
            assertThatThrownBy(() -> baton.outbox().log().streams().append("s", ExpectedVersion.any(), List.of(draft)))
                    .isInstanceOf(IllegalArgumentException.class);
            // The same draft through a log that does not check it.
            baton.log("events").append(draft);
            assertThatThrownBy(
                            () -> connection
                                    .createStatement()
                                    .execute(
                                            "INSERT INTO baton.outbox (topic, headers, payload, data)"
                                                    + " SELECT topic, headers, payload, data FROM baton.events ORDER BY position DESC LIMIT 1"))
                    .hasMessageContaining(because)
                    .satisfies(refused -> assertThat(DatabaseException.of("write", (SQLException) refused)
                                    .getMessage())
                            .contains(because));
        }
    }

    /** The database's error for a plain INSERT; null if it takes the row. */
    private static @Nullable String refusalByDatabase(
            TestDatabase database,
            @Nullable String topic,
            @Nullable String headers,
            @Nullable String json,
            byte @Nullable [] bytes)
            throws SQLException {
        try (Connection connection = database.connect();
                var insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, topic);
            insert.setString(2, headers);
            insert.setString(3, json);
            insert.setBytes(4, bytes);
            insert.executeUpdate();
            return null;
        } catch (SQLException refused) {
            assertThat(refused.getSQLState()).isEqualTo("23514");
            return refused.getMessage();
        }
    }
}
