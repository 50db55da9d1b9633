package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.log.LogException;
import org.pgbaton.log.LogOptions;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/** Input that makes no sense is refused with a sentence. Input that looks odd but is right is kept to the byte. */
@BatonTest
class BadInputTest {
    /**
     * Java's check and PostgreSQL's must agree: otherwise PostgreSQL would refuse what Java lets through, and abort the
     * caller's transaction.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "-0",
                "1E5",
                "\"\\u0000\"",
                "\"\\ud800\"",
                "[ ]",
                "{\"a\":1,\"a\":2}",
                "1.5e-3",
                " 1 ",
                "\"\u007f\"",
                "{'a':1}",
                "[1,]",
                "01",
                "1.",
                "+1",
                "nulL",
                "\"\\x\"",
                "{} x",
                "\"a\tb\"",
                "-",
                ".5",
                "\"\\u12\"",
                "[1 2]",
                "{\"a\"}",
                "\u00a01",
                "\ufeff1",
                "1e",
                "[}",
                "Infinity"
            })
    void javaAndPostgresAgreeAboutJson(String text) throws Exception {
        try (TestDatabase database = TestServer.shared().newDatabase()) {
            boolean postgres;
            try {
                database.one("SELECT ?::text::json", text);
                postgres = true;
            } catch (java.sql.SQLException refused) {
                postgres = false;
            }
            boolean java;
            try {
                Draft.json(text);
                java = true;
            } catch (IllegalArgumentException refused) {
                java = false;
            }
            assertThat(java).as("Java accepts %s", text).isEqualTo(postgres);
        }
    }

    @Test
    void nestingThatIsTooDeepForPostgresIsItsOwnSentence(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Log log = baton.log("events");
            Draft deep = Draft.json("[".repeat(500_000) + "]".repeat(500_000));
            // Before PostgreSQL 17 the server's stack is the limit; from 17 on there is none.
            try {
                log.append(deep);
            } catch (DatabaseException refused) {
                assertThat(refused).hasMessageContaining("Cannot append to log 'events': stack depth limit exceeded");
            }
            assertThat(log.append(Draft.json("[".repeat(1000) + "]".repeat(1000)))
                            .duplicate())
                    .isFalse();
        }
    }

    @Test
    void theDatabaseRefusesFromAnyClientWhatJavaRefuses(TestDatabase database) {
        assertThatThrownBy(() ->
                        database.execute("INSERT INTO baton.events (key, payload) VALUES (repeat('x', 1001), '1')"))
                .hasMessageContaining("the key 'xxxx")
                .hasMessageContaining("has 1001 bytes: give at most 1000");
        assertThatThrownBy(() -> database.execute("INSERT INTO baton.events (key) VALUES ('k')"))
                .hasMessageContaining("neither payload nor data");
        assertThatThrownBy(() -> database.execute("INSERT INTO baton.events (payload, data) VALUES ('1', '1')"))
                .hasMessageContaining("both payload and data")
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refused -> assertThat(refused.getSQLState()).isEqualTo("23514"));
        assertThatThrownBy(() -> database.execute("INSERT INTO baton.events (payload, version) VALUES ('1', 0)"))
                .hasMessageContaining("the version 0 is out of range");
        assertThatThrownBy(() -> database.execute("INSERT INTO baton.events (payload) VALUES ('{')"))
                .hasMessageContaining("invalid input syntax for type json");
    }

    @Test
    void aBadDraftDoesNotCostTheTransaction(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection connection = database.connect()) {
            Log log = baton.log("events");
            connection.setAutoCommit(false);
            log.append(connection, Draft.json("1"));
            assertThatThrownBy(() -> log.append(connection, Draft.json("{")))
                    .isInstanceOf(IllegalArgumentException.class);
            log.append(connection, Draft.json("2"));
            connection.commit();
            assertThat(log.read().list()).hasSize(2);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Orders",
        "1st",
        "a-b",
        "'a b'",
        "''",
        "größe",
        "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopq",
        "a\"b",
        "a;b"
    })
    void aNameThatCannotBeATableIsRefused(String name) throws Exception {
        try (TestDatabase database = TestServer.shared().newDatabase();
                Baton baton = database.baton()) {
            assertThatThrownBy(() -> baton.logs().create(name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + name + "' cannot be the name of a log: use 1 to 40 small letters");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "log",
                "checkpoint",
                "leader_status",
                "migration",
                "parked_message",
                "events_position",
                "subscription"
            })
    void aNameThatBatonUsesIsRefused(String name) throws Exception {
        try (TestDatabase database = TestServer.shared().newDatabase();
                Baton baton = database.baton()) {
            assertThatThrownBy(() -> baton.logs().create(name))
                    .isInstanceOf(LogException.class)
                    .hasMessageContaining("has something else named '" + name + "'. Choose another name.");
        }
    }

    @Test
    void aNameWhosePartsAreTakenIsRefused(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE baton.orders_lane (x integer)");
        try (Baton baton = database.baton()) {
            assertThatThrownBy(() -> baton.logs().create("orders"))
                    .hasMessageContaining("something else named 'orders_lane'");
        }
    }

    @Test
    void lanesAndRetentionHaveARange() {
        assertThatThrownBy(() -> LogOptions.defaults().lanes(0)).hasMessageContaining("give 1 to 1024 (default 16)");
        assertThatThrownBy(() -> LogOptions.defaults().lanes(1025)).hasMessageContaining("give 1 to 1024");
        assertThatThrownBy(() -> LogOptions.defaults().retention(java.time.Duration.ofDays(-1)))
                .hasMessageContaining("give 0 s to 36500 days");
    }
}
