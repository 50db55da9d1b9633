package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.Fault;
import org.pgbaton.database.SchemaName;
import org.pgbaton.log.Draft;
import org.pgbaton.log.ExpectedVersion;
import org.pgbaton.log.LogOptions;
import org.pgbaton.schema.Schema;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Who may do what with logs and subscriptions. */
@BatonTest
class RolesTest {
    @Test
    void theAppendRoleWritesToLogsAndTheWorkerDoesTheRest(TestDatabase database) throws Exception {
        database.execute(Schema.roles(SchemaName.DEFAULT));
        database.execute("""
                CREATE ROLE o LOGIN IN ROLE baton_owner;
                CREATE ROLE w LOGIN IN ROLE baton_worker;
                CREATE ROLE r LOGIN IN ROLE baton_read;
                CREATE ROLE a LOGIN IN ROLE baton_append""");
        try (Baton owner = Baton.open(database.urlFor("o"));
                Baton worker = Baton.open(database.urlFor("w"));
                Baton reader = Baton.open(database.urlFor("r"));
                Baton append = Baton.open(database.urlFor("a"))) {
            // A log that a member of the owner makes later has the same rights, and retention still works on it.
            owner.logs().create("orders", LogOptions.defaults().retention(Duration.ZERO));
            for (String log : List.of("events", "outbox", "orders")) {
                Draft draft = Draft.json("1").key("k").topic("t");
                append.log(log).append(draft);
                assertThat(append.log(log).append(draft).duplicate()).isTrue();
                append.log(log)
                        .appendTo(
                                "s",
                                ExpectedVersion.none(),
                                List.of(Draft.json("2").topic("t")));
                assertThat(worker.log(log).read().list()).hasSize(2);
                assertThat(reader.log(log).read().list()).hasSize(2);
                assertThat(reader.logs().show(log).last()).isEqualTo(3); // the duplicate drew one
                assertRefused(() -> reader.log(log).append(draft.id(UUID.randomUUID())));
            }
            assertThat(worker.logs().retainOnce("orders")).isEqualTo(2);
            assertRefused(() -> append.logs().retainOnce("orders"));
            assertRefused(() -> worker.logs().redact("events", 1, "w", "why"));
            assertRefused(() -> worker.logs().create("more"));
            owner.logs().redact("events", 1, "o", "why");

            try (Connection appending = connect(database, "a");
                    Connection working = connect(database, "w");
                    Connection reading = connect(database, "r")) {
                for (String table :
                        List.of("log", "action", "subscription", "checkpoint", "member", "parked", "parked_message")) {
                    reading.createStatement().execute("SELECT * FROM baton." + table);
                    working.createStatement().execute("SELECT * FROM baton." + table);
                    assertThatThrownBy(() -> appending.createStatement().execute("DELETE FROM baton." + table))
                            .hasMessageContaining("permission denied");
                    assertThatThrownBy(() -> reading.createStatement().execute("DELETE FROM baton." + table))
                            .hasMessageContaining("permission denied");
                }
                for (String view : List.of("log_writers", "lane_status", "subscription_status", "leader_status")) {
                    reading.createStatement().execute("SELECT * FROM baton." + view);
                    working.createStatement().execute("SELECT * FROM baton." + view);
                }
                for (String statement : List.of(
                        "DELETE FROM baton.events", "UPDATE baton.events SET payload = '1'", "TRUNCATE baton.events")) {
                    assertThatThrownBy(() -> appending.createStatement().execute(statement))
                            .hasMessageContaining("permission denied");
                    assertThatThrownBy(() -> working.createStatement().execute(statement))
                            .hasMessageContaining("permission denied");
                }
                assertThatThrownBy(
                                () -> appending.createStatement().execute("SELECT setval('baton.events_position', 1)"))
                        .hasMessageContaining("permission denied");
            }
            CountDownLatch handled = new CountDownLatch(2);
            worker.subscription("mirror")
                    .on("events")
                    .project((message, connection) -> handled.countDown())
                    .start();
            assertThat(handled.await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            database.execute("DROP OWNED BY o, w, r, a; DROP ROLE o, w, r, a");
        }
    }

    private static void assertRefused(ThrowingCallable work) {
        assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.NO_PRIVILEGE));
    }

    private static Connection connect(TestDatabase database, String user) throws SQLException {
        return DatabaseUrl.parse(database.urlFor(user)).connector().connect();
    }
}
