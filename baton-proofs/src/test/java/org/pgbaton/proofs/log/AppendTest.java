package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Codec;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.log.LogException;
import org.pgbaton.log.Message;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.PGConnection;

/** Whatever is appended is there once, as it was given, and together with the caller's other writes. */
@BatonTest
class AppendTest {
    @Test
    void aMessageComesBackAsItWasGiven(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            String json = " {\"b\": 1,  \"a\": \"\\u0000 😀\"}\n";
            Appended appended = log.append(Draft.json(json)
                    .key("account-42")
                    .type("Deposited")
                    .topic("accounts")
                    .headers(Map.of("traceparent", "00-\"ab\"\n")));

            Message message = log.read().list().get(0);
            assertThat(message.position()).isEqualTo(appended.position());
            assertThat(message.id()).isEqualTo(appended.id());
            assertThat(message.key()).isEqualTo("account-42").isEqualTo(appended.key());
            assertThat(message.lane()).isEqualTo(7).isEqualTo(log.laneOf("account-42"));
            assertThat(message.type()).isEqualTo("Deposited");
            assertThat(message.topic()).isEqualTo("accounts");
            assertThat(message.headers()).isEqualTo("{\"traceparent\":\"00-\\\"ab\\\"\\u000a\"}");
            assertThat(message.isJson()).isTrue();
            assertThat(message.payload(Codec.json())).isEqualTo(json);
            assertThat(message.version()).isNull();
            assertThat(appended.version()).isNull();
            assertThat(appended.duplicate()).isFalse();
        }
    }

    @Test
    void withoutAKeyTheIdIsTheKey(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Appended appended = baton.log("events").append(Draft.bytes(new byte[0]));
            assertThat(appended.key()).isEqualTo(appended.id().toString());
            assertThat(baton.log("events").read().list().get(0).payload()).isEmpty();
        }
    }

    @Test
    void anAppendIsPartOfTheCallersTransaction(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE account (balance integer)");
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            Log log = baton.log("events");
            connection.setAutoCommit(false);
            connection.createStatement().execute("INSERT INTO account VALUES (1)");
            log.append(connection, Draft.json("1"));
            connection.rollback();
            assertThat(log.read().list()).isEmpty();

            connection.createStatement().execute("INSERT INTO account VALUES (1)");
            log.append(connection, Draft.json("2"));
            connection.commit();
            assertThat(log.read().list()).extracting(Message::text).containsExactly("2");
            assertThat(database.one("SELECT count(*) FROM account")).isEqualTo("1");
        }
    }

    @Test
    void withoutATransactionNothingIsAppended(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            assertThatThrownBy(() -> baton.log("events").append(connection, Draft.json("1")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("autocommit mode: call setAutoCommit(false) first");
        }
    }

    @Test
    void aLogThatIsNotThereIsASentence(TestDatabase database) {
        try (Baton baton = database.baton()) {
            assertThatThrownBy(() -> baton.log("evens"))
                    .isInstanceOf(LogException.class)
                    .hasMessageContaining("There is no log 'evens' in schema 'baton'")
                    .hasMessageContaining("baton logs create evens");
        }
    }

    @Test
    void theSameIdIsAppendedOnce(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            Draft draft = Draft.json("1").key("k");
            Appended first = log.append(draft);
            Appended again = log.append(draft);

            assertThat(again.duplicate()).isTrue();
            assertThat(again.position()).isEqualTo(first.position());
            assertThat(log.read().list()).hasSize(1);
        }
    }

    @Test
    void aDuplicateAmongOthersKeepsItsPlaceInTheAnswer(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            Draft known = Draft.json("1");
            Appended first = log.append(known);
            Draft fresh = Draft.json("2");

            List<Appended> answers = log.append(List.of(Draft.json("0"), known, fresh, fresh));

            assertThat(answers).extracting(Appended::duplicate).containsExactly(false, true, false, true);
            assertThat(answers.get(1).position()).isEqualTo(first.position());
            assertThat(answers.get(3).position()).isEqualTo(answers.get(2).position());
            assertThat(log.read().list()).hasSize(3);
        }
    }

    @Test
    void twoThatAppendTheSameIdAtOnceAppendItOnce(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            Log log = baton.log("events");
            Draft draft = Draft.json("1");
            open.setAutoCommit(false);
            Appended first = log.append(open, draft);
            CompletableFuture<Appended> second = Background.run(() -> log.append(draft));
            Background.awaitWaiting(database, 1);
            open.commit();

            Appended late = second.get(20, TimeUnit.SECONDS);
            assertThat(late.duplicate()).isTrue();
            assertThat(late.position()).isEqualTo(first.position());
            assertThat(log.read().list()).hasSize(1);
        }
    }

    @Test
    void ifTheFirstOfTheTwoRollsBackTheSecondAppends(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            Log log = baton.log("events");
            Draft draft = Draft.json("1");
            open.setAutoCommit(false);
            log.append(open, draft);
            CompletableFuture<Appended> second = Background.run(() -> log.append(draft));
            Background.awaitWaiting(database, 1);
            open.rollback();

            assertThat(second.get(20, TimeUnit.SECONDS).duplicate()).isFalse();
            assertThat(log.read().list()).hasSize(1);
        }
    }

    @Test
    void twoBatchesWithTheSameIdsInOppositeOrderBothSucceed(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect()) {
            Log log = baton.log("events");
            Draft one = Draft.json("1");
            Draft two = Draft.json("2");
            open.setAutoCommit(false);
            log.append(open, one);
            CompletableFuture<List<Appended>> other = Background.run(() -> log.append(List.of(two, one)));
            Background.awaitWaiting(database, 1);
            // Now each waits for the other. PostgreSQL ends one of them, and Baton tries its own transaction again.
            CompletableFuture<Boolean> mine = Background.run(() -> {
                try {
                    log.append(open, two);
                    open.commit();
                } catch (java.sql.SQLException deadlock) {
                    open.rollback();
                }
                return true;
            });
            mine.get(20, TimeUnit.SECONDS);
            other.get(20, TimeUnit.SECONDS);
            assertThat(log.read().list()).hasSize(2);
        }
    }

    @Test
    void aHundredThousandDraftsInOneCallKeepTheirOrder(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            List<Draft> drafts = new ArrayList<>();
            for (int i = 0; i < 100_000; i++) {
                drafts.add(Draft.json(Integer.toString(i)).key("key-" + i % 100));
            }
            List<Appended> answers = log.append(drafts);

            assertThat(answers).hasSize(100_000);
            assertThat(answers).extracting(Appended::position).isSorted();
            assertThat(database.one("SELECT count(*) FROM baton.events")).isEqualTo("100000");
            assertThat(database.one("""
                    SELECT count(*) FROM (SELECT payload::text::int AS n, lag(payload::text::int) OVER (ORDER BY position) AS before
                                            FROM baton.events) t WHERE n <= before""")).isEqualTo("0");
        }
    }

    @Test
    void aFailureInTheLastChunkLeavesNothingOfTheFirst(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            database.execute("ALTER TABLE baton.events ADD CHECK (type <> 'forbidden')");
            List<Draft> drafts = new ArrayList<>(Collections.nCopies(2500, Draft.json("1")));
            drafts.replaceAll(draft -> Draft.json("1"));
            drafts.add(Draft.json("1").type("forbidden"));
            assertThatThrownBy(() -> log.append(drafts)).hasMessageContaining("Cannot append to log 'events'");
            assertThat(log.read().list()).isEmpty();
        }
    }

    @Test
    void tenMegabytesAreStored(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            String text = "\"" + "ü\\\\ \\\" 😀".repeat(800_000) + "\"";
            byte[] bytes = new byte[10_000_000];
            new java.util.Random(1).nextBytes(bytes);
            log.append(List.of(Draft.json(text), Draft.bytes(bytes)));

            List<Message> messages = log.read().list();
            assertThat(messages.get(0).text().equals(text)).isTrue();
            assertThat(messages.get(1).payload()).isEqualTo(bytes);
        }
    }

    @Test
    void plainSqlNeedsNothingOfBaton(TestDatabase database) throws Exception {
        database.execute(
                "INSERT INTO baton.outbox (topic, key, payload) VALUES ('accounts', 'account-42', '{\"a\":1}')");
        database.execute("""
                INSERT INTO baton.outbox (topic, position, lane, recorded_at, data) VALUES ('t', 900, 77, 'epoch', 'bytes')""");
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn(
                            "COPY baton.outbox (key, topic, payload) FROM STDIN (FORMAT csv)",
                            new StringReader("a,t,1\nb,t,2\n"));

            List<Message> messages = baton.log("outbox").read().list();
            assertThat(messages).extracting(Message::position).containsExactly(1L, 2L, 3L, 4L);
            assertThat(messages.get(0).lane()).isEqualTo(7);
            assertThat(messages.get(1).lane())
                    .isEqualTo(baton.log("outbox").laneOf(messages.get(1).id().toString()));
            assertThat(messages.get(1).recordedAt()).isAfter(messages.get(0).recordedAt());
            assertThat(messages.get(3).key()).isEqualTo("b");
        }
    }

    @Test
    void theDatabaseComputesTheLaneAsJavaDoes(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            for (String key : List.of(
                    "",
                    "a",
                    "Größe",
                    "😀",
                    "e\u0301",
                    "\\x41",
                    UUID.randomUUID().toString())) {
                assertThat(database.one("SELECT baton.lane_of(?, 16)", key))
                        .isEqualTo(Integer.toString(log.laneOf(key)));
                log.append(Draft.json("1").key(key));
            }
            assertThat(log.read().list())
                    .allSatisfy(each -> assertThat(each.lane()).isEqualTo(log.laneOf(each.key())));
        }
    }

    @Test
    void withTheDoorbellSwitchedOffATransactionCanBePrepared(TestDatabase database) throws Exception {
        try (Connection sleeper = database.connect();
                Connection writer = database.connect()) {
            sleeper.createStatement().execute("SELECT pg_advisory_lock('baton.events'::regclass::oid::int, -1)");
            writer.createStatement().execute("BEGIN; INSERT INTO baton.events (payload) VALUES ('1')");
            assertThatThrownBy(() -> writer.createStatement().execute("PREPARE TRANSACTION 'rung'"))
                    .hasMessageContaining("cannot PREPARE a transaction that has executed LISTEN, UNLISTEN, or NOTIFY");

            writer.createStatement().execute("SET baton.doorbell = off");
            writer.createStatement().execute("BEGIN; INSERT INTO baton.events (payload) VALUES ('2')");
            writer.createStatement().execute("PREPARE TRANSACTION 'silent'");
            try (Baton baton = database.baton()) {
                assertThat(baton.logs().show("events").writers())
                        .singleElement()
                        .satisfies(prepared -> assertThat(prepared.process()).isNull());
            } finally {
                writer.createStatement().execute("COMMIT PREPARED 'silent'");
            }
            assertThat(database.one("SELECT payload FROM baton.events")).isEqualTo("2");
        }
    }
}
