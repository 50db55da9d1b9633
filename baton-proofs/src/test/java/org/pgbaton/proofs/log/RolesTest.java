package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
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
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** What each role may do with logs and subscriptions. */
@BatonTest
class RolesTest {
    @Test
    void theAppendRoleWritesToLogsAndTheWorkerDoesTheRest(TestDatabase database) throws Exception {
        database.execute(Baton.rolesScript(SchemaName.DEFAULT));
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
                assertThat(reader.logs().show(log).last().position()).isEqualTo(3); // the duplicate drew one
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

    @Test
    void theAppendRoleNeitherReadsNorWritesWhatIsNotItsOwn(TestDatabase database) throws Exception {
        database.execute(Baton.rolesScript(SchemaName.DEFAULT));
        String a = "a_" + database.name();
        String b = "b_" + database.name();
        String one = "one_" + database.name();
        database.execute("CREATE ROLE " + a + " LOGIN IN ROLE baton_append; CREATE ROLE " + b
                + " LOGIN IN ROLE baton_append; CREATE ROLE " + one + " LOGIN; SELECT baton.grant_append('events', '"
                + one + "')");
        try (Baton baton = database.baton()) {
            baton.logs().create("changes");
            baton.logs().forWorkersOnly("changes");
        }
        try (Connection appending = connect(database, a);
                Connection other = connect(database, b);
                Connection single = connect(database, one)) {
            run(appending, "INSERT INTO baton.events (key, payload) VALUES ('k', '1') RETURNING position, id");
            run(single, "INSERT INTO baton.events (key, payload) VALUES ('k', '1') RETURNING position, id");
            for (String refused : List.of(
                    "SELECT payload FROM baton.events",
                    "SELECT key FROM baton.events",
                    "SELECT last_value FROM baton.events_position",
                    "INSERT INTO baton.changes (key, payload) VALUES ('k', '1')",
                    "SELECT * FROM baton.lock_streams('baton.changes', ARRAY['k'], ARRAY[true])",
                    "SELECT * FROM baton.find_ids('baton.changes', ARRAY[gen_random_uuid()])",
                    "SELECT baton.guard('job', 1)",
                    "SELECT baton.next_epoch('x', 1)",
                    "SELECT baton.retain('baton.events', 1)",
                    "SELECT baton.retain_aged('events', 1)",
                    "SELECT baton.redact('baton.events', 1, 'me', 'why')",
                    "SELECT * FROM baton.inbox",
                    "DELETE FROM baton.inbox_epoch",
                    "INSERT INTO baton.action (who, what, subject) VALUES ('x', 'y', 'z')")) {
                assertThatThrownBy(() -> run(appending, refused)).as(refused).hasMessageContaining("permission denied");
            }
            assertThatThrownBy(() -> run(single, "INSERT INTO baton.outbox (topic, payload) VALUES ('t', '1')"))
                    .hasMessageContaining("permission denied");

            // An inbox belongs to the role that used it first.
            run(appending, "SELECT baton.first_time('orders', gen_random_uuid(), 'k', 1)");
            for (String poison : List.of(
                    "SELECT baton.first_time('orders', gen_random_uuid(), 'k', 1000000)",
                    "SELECT baton.forget_received('orders', '0', 1000)")) {
                assertThatThrownBy(() -> run(other, poison)).hasMessageContaining("belongs to " + a);
            }
            run(appending, "SELECT baton.first_time('orders', gen_random_uuid(), 'k', 2)");
            run(other, "SELECT baton.first_time('trades', gen_random_uuid(), 'k', 1)");
        } finally {
            database.execute("DROP OWNED BY " + a + ", " + b + ", " + one + "; DROP ROLE " + a + ", " + b + ", " + one);
        }
    }

    @Test
    void theWorkerRemovesNothingThatIsKeptAndCannotSignForAnother(TestDatabase database) throws Exception {
        database.execute(Baton.rolesScript(SchemaName.DEFAULT));
        String w = "w_" + database.name();
        database.execute("CREATE ROLE " + w + " LOGIN IN ROLE baton_worker");
        database.execute("INSERT INTO baton.events (payload) SELECT '1' FROM generate_series(1, 100)");
        try (Connection working = connect(database, w);
                Baton worker = Baton.builder(database.urlFor(w)).who("the boss").open()) {
            for (String refused : List.of(
                    "SELECT baton.retain('baton.events', 100)",
                    "SELECT baton.redact('baton.events', 1, 'me', 'why')",
                    "INSERT INTO baton.action (who, what, subject, by_user) VALUES ('x', 'y', 'z', 'postgres')",
                    "UPDATE baton.log SET retention = '0'",
                    "SELECT setval('baton.epoch', 1)")) {
                assertThatThrownBy(() -> run(working, refused)).as(refused).hasMessageContaining("permission denied");
            }
            run(working, "SELECT baton.retain_aged('events', 1000)");
            assertThat(database.one("SELECT count(*) FROM baton.events")).isEqualTo("100");

            // A capture's own tables, too.
            run(
                    working,
                    "INSERT INTO baton.capture (name, log, publication, own_publication, slot, system, tables, operations)"
                            + " VALUES ('c', 'events', 'p', true, 's', 'x', '{}', '{}')");
            run(working, "INSERT INTO baton.capture_snapshot (capture, table_name, estimated) VALUES ('c', 't', 1)");
            run(working, "UPDATE baton.capture_snapshot SET sent = 1");

            worker.subscription("mirror")
                    .on("events")
                    .project((message, connection) -> {})
                    .start();
            worker.subscriptions().pause("mirror", "a look");
            assertThat(worker.subscriptions().actions(1)).singleElement().satisfies(action -> {
                assertThat(action.who()).isEqualTo("the boss");
                assertThat(action.byUser()).isEqualTo(w);
            });
        } finally {
            database.execute("DROP OWNED BY " + w + "; DROP ROLE " + w);
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
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
