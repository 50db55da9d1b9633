package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.Baton;
import org.pgbaton.log.LogException;
import org.pgbaton.log.Message;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * A log is append-only, even for a superuser; only redaction and retention can change it, and nobody else can by
 * mistake.
 */
@BatonTest
class RefusalTest {
    private static final String FILL =
            "INSERT INTO baton.events (key, headers, payload) SELECT 'k', '{\"secret\": 1}', '{\"secret\": 2}' FROM generate_series(1, 3)";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE baton.events SET payload = '0'",
                "UPDATE baton.events SET payload = '0' WHERE false",
                "DELETE FROM baton.events",
                "TRUNCATE baton.events",
                "TRUNCATE baton.events RESTART IDENTITY",
                "INSERT INTO baton.events (id, payload) SELECT id, '0' FROM baton.events ON CONFLICT (id) DO UPDATE SET payload = '0'",
                "SET session_replication_role = replica; DELETE FROM baton.events",
                "SET session_replication_role = replica; UPDATE baton.events SET payload = '0'",
                "SET baton.door = on; DELETE FROM baton.events",
                "SET baton.door = 'DELETE'; DELETE FROM baton.events",
            })
    void rowsAreNeitherChangedNorRemoved(String statement) throws Exception {
        try (TestDatabase database = org.pgbaton.testkit.TestServer.shared().newDatabase()) {
            database.baton().close();
            database.execute(FILL);
            assertThatThrownBy(() -> database.execute(statement))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("on log baton.events refused: a log is append-only");
            assertThat(database.one("SELECT count(*) FROM baton.events WHERE payload::text LIKE '%secret%'"))
                    .isEqualTo("3");
        }
    }

    @Test
    void withReplicationRoleReplicaAnInsertStillGetsItsPosition(TestDatabase database) throws Exception {
        database.execute(
                "SET session_replication_role = replica; INSERT INTO baton.events (position, payload) VALUES (99, '1')");
        assertThat(database.one("SELECT position FROM baton.events")).isEqualTo("1");
    }

    @Test
    void theDoorIsShutAgainBehindRetentionInTheSameTransaction(TestDatabase database) throws Exception {
        database.execute(FILL);
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("SELECT baton.retain('baton.events', 1)");
            assertThatThrownBy(() -> connection.createStatement().execute("DELETE FROM baton.events"))
                    .hasMessageContaining("append-only");
        }
    }

    @Test
    void theDoorForRedactionDoesNotLetADeleteThrough(TestDatabase database) throws Exception {
        database.execute(FILL);
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("""
                    SELECT set_config('baton.door', 'UPDATE ' || 'baton.events'::regclass::oid || ' ' || pg_current_xact_id(), true)""");
            assertThatThrownBy(() -> connection.createStatement().execute("DELETE FROM baton.events"))
                    .hasMessageContaining("append-only");
        }
    }

    @Test
    void aDoorOfAnotherTransactionIsShut(TestDatabase database) throws Exception {
        database.execute(FILL);
        try (Connection connection = database.connect()) {
            connection.createStatement().execute("""
                    SELECT set_config('baton.door', 'DELETE ' || 'baton.events'::regclass::oid || ' ' || pg_current_xact_id(), false)""");
            assertThatThrownBy(() -> connection.createStatement().execute("DELETE FROM baton.events"))
                    .hasMessageContaining("append-only");
        }
    }

    @Test
    void aRedactedMessageKeepsItsPlaceAndLosesItsContent(TestDatabase database) throws Exception {
        database.execute(FILL);
        database.execute("INSERT INTO baton.events (key, data) VALUES ('k', 'secret')");
        try (Baton baton = database.baton()) {
            List<Message> before = baton.log("events").read().list();
            baton.logs().redact("events", 2, "Ada", "court order 7");
            baton.logs().redact("events", 4, "Ada", "court order 7");

            List<Message> after = baton.log("events").read().list();
            assertThat(after).extracting(Message::position).containsExactly(1L, 2L, 3L, 4L);
            assertThat(after.get(1).text()).isEqualTo("{\"redacted\":true}");
            assertThat(after.get(1).headers()).isNull();
            assertThat(after.get(1).id()).isEqualTo(before.get(1).id());
            assertThat(after.get(1).key()).isEqualTo("k");
            assertThat(after.get(3).payload()).isEmpty();
            assertThat(after.get(0).text()).contains("secret");
            assertThat(
                            database.one(
                                    "SELECT who || '|' || what || '|' || subject || '|' || reason || '|' || detail FROM baton.action ORDER BY id"))
                    .isEqualTo("Ada|redact|baton.events|court order 7|position 2");
        }
    }

    @Test
    void aRedactionNeedsARowANameAndAReason(TestDatabase database) {
        try (Baton baton = database.baton()) {
            assertThatThrownBy(() -> baton.logs().redact("events", 5, "Ada", "why"))
                    .isInstanceOf(LogException.class)
                    .hasMessageContaining("The log 'events' has no row at position 5");
            assertThatThrownBy(() -> baton.logs().redact("events", 5, "Ada", " "))
                    .hasMessageContaining("who asked for it, and why");
        }
    }
}
