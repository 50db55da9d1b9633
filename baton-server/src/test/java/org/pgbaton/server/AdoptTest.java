package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.log.Message;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton logs adopt}: a table with a status column changes its relay while everybody works. */
@BatonTest
class AdoptTest {
    private static final List<String> ADOPT =
            List.of("logs", "adopt", "outbox_event", "--topic", "trades", "--settle", "200ms", "--yes");

    /** There and back again. */
    @Test
    void nothingIsLostTwiceOrOutOfOrderWhileBothRelaysAndWritersRun(TestDatabase database) throws Exception {
        long seed = System.nanoTime();
        try (OldOutbox old = new OldOutbox(database);
                Baton one = relay(database, old);
                Baton two = relay(database, old)) {
            assertThat(one.who()).isNotEqualTo(two.who());
            for (int i = 0; i < 4; i++) {
                old.startWriter(seed + i);
            }
            until(() -> old.committed() > 500); // a backlog for the old relay
            old.startRelay();
            until(() -> old.sentBy("old") > 100);

            Cli.Ended adopted = adopt(database).run().succeeds();
            assertThat(adopted.out()).isEqualTo("adopted outbox_event\n");
            assertThat(adopted.err())
                    .contains("This sends what is inserted into outbox_event from now on through log 'outbox'")
                    .containsPattern("row[s]? \\(PENDING\\) left to the old relay.*new rows? waits?\n")
                    .contains("The old relay has nothing to send any more: switch it off.")
                    .doesNotContain("Nobody reads");
            long byOld = old.sentBy("old");
            until(() -> old.sentBy("baton") > 500);
            assertThat(old.sentBy("old")).isEqualTo(byOld);
            assertThat(adopt(database).run().succeeds().err()).contains("is adopted already");

            Cli.Ended back = Cli.baton("logs", "adopt", "outbox_event", "--undo", "--yes", "--reason", "a trial")
                    .on(database.url())
                    .run()
                    .succeeds();
            assertThat(back.out()).isEqualTo("given back outbox_event\n");
            until(() -> old.sentBy("old") > byOld + 300);
            old.stopWriting();
            until(() -> old.sent().size() >= old.committed()
                    || !old.mistakes().stream().allMatch(each -> each.startsWith("lost")));
            // Time for what should not come.
            long looks = old.looks();
            until(() -> old.looks() > looks + 20);
            assertThat(old.mistakes()).as("seed %s", seed).isEmpty();
            assertThat(old.longestWaitMillis()).as("a writer waited, ms").isLessThan(5_000);
            assertThat(database.one("SELECT count(*) FROM outbox_event WHERE status = 'PENDING'"))
                    .isEqualTo("0");
            assertThat(database.one("SELECT string_agg(what, ', ' ORDER BY id) FROM baton.action"))
                    .isEqualTo("adopt, adopted, give back, gave back");
            assertThat(database.one("SELECT who || ' ' || subject || ' ' || reason FROM baton.action ORDER BY id DESC"))
                    .matches(".+@.+ table public.outbox_event, log outbox a trial");
            assertThat(
                            database.one(
                                    "SELECT count(*) FROM pg_trigger WHERE tgname LIKE '%baton%' AND tgrelid = 'outbox_event'::regclass"))
                    .isEqualTo("0");
            assertThat(functions(database)).isEqualTo("0");
        }
    }

    @Test
    void killedWhileItWaitsItHasLostNothingAndGoesOnWhenRunAgain(TestDatabase database) throws Exception {
        UUID portfolio = UUID.randomUUID();
        try (OldOutbox old = new OldOutbox(database);
                Connection writer = database.connect();
                Baton relay = relay(database, old)) {
            assertThat(relay.who()).isNotEmpty();
            OldOutbox.insert(writer, UUID.randomUUID(), portfolio, 1);
            try (Cli command = adopt(database).start()) {
                until(() -> command.err().contains("1 row (PENDING) left to the old relay"));
                OldOutbox.insert(writer, UUID.randomUUID(), portfolio, 2);
                command.signal("KILL");
                command.awaitEnd();
            }
            OldOutbox.insert(writer, UUID.randomUUID(), portfolio, 3);
            assertThat(database.one("SELECT string_agg(status, ' ' ORDER BY created_at) FROM outbox_event"))
                    .isEqualTo("PENDING BATON BATON");
            Cli.Ended inVain = adopt(database, "--timeout", "500ms").run();
            assertThat(inVain.code()).isEqualTo(75);
            assertThat(inVain.err())
                    .contains("The old relay still has 1 row of outbox_event to send after 500 ms.")
                    .contains("run the command again to go on, or with --undo to go back.");
            assertThat(old.sent()).isEmpty();

            assertThat(Cli.baton("doctor").on(database.url()).run().out())
                    .containsPattern("adopted tables: public.outbox_event is draining since .*, 2 new rows wait");

            old.startRelay();
            adopt(database).run().succeeds();
            OldOutbox.insert(writer, UUID.randomUUID(), portfolio, 4);
            until(() -> old.sent().size() == 4);
            assertThat(old.sent())
                    .extracting(each -> each.by() + each.number())
                    .containsExactly("old1", "baton2", "baton3", "baton4");
        }
    }

    @Test
    void whileItDrainsItIsUndoneAtOnce(TestDatabase database) throws Exception {
        UUID portfolio = UUID.randomUUID();
        try (OldOutbox old = new OldOutbox(database);
                Connection writer = database.connect()) {
            OldOutbox.insert(writer, UUID.randomUUID(), portfolio, 1);
            adopt(database, "--timeout", "100ms").run();
            OldOutbox.insert(writer, UUID.randomUUID(), portfolio, 2);
            assertThat(undo(database).run().succeeds().err())
                    .contains(
                            "This gives the table outbox_event back to the old relay at once, with 1 row that waited.");
            OldOutbox.insert(writer, UUID.randomUUID(), portfolio, 3);
            old.startRelay();
            until(() -> old.sent().size() == 3);
            assertThat(old.sent())
                    .extracting(each -> each.by() + each.number())
                    .containsExactly("old1", "old2", "old3");
            assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("0");
            undo(database).run().complains(64, "The table outbox_event is not adopted; there is nothing to undo.");
        }
    }

    @Test
    void theWayBackWaitsForTheRelayOfTheLog(TestDatabase database) throws Exception {
        UUID portfolio = UUID.randomUUID();
        try (OldOutbox old = new OldOutbox(database);
                Connection writer = database.connect()) {
            assertThat(adopt(database).run().succeeds().err()).contains("Nobody reads log 'outbox' yet: start a relay");
            OldOutbox.insert(writer, UUID.randomUUID(), portfolio, 1);
            undo(database).run().complains(64, "Nobody reads log 'outbox', so what is in it would never be sent");
            try (Baton baton = relay(database, old)) {
                until(() -> old.sent().size() == 1);
                baton.subscriptions().pause("trades", "test");
                until(() -> baton.health().subscriptions().get(0).state().name().equals("PAUSED"));
                OldOutbox.insert(writer, UUID.randomUUID(), portfolio, 2);
                assertThat(undo(database, "--timeout", "300ms").run().err())
                        .contains(
                                "Log 'outbox' still has 1 message to be sent; 'baton parked list' shows what is stuck after 300 ms.");
                OldOutbox.insert(writer, UUID.randomUUID(), portfolio, 3);
                adopt(database)
                        .run()
                        .complains(64, "is being given back to the old relay: finish that first, with --undo.");
                old.startRelay();
                baton.subscriptions().resume("trades", "test");
                undo(database).run().succeeds();
                until(() -> old.sent().size() == 3);
                assertThat(old.sent())
                        .extracting(each -> each.by() + each.number())
                        .containsExactly("baton1", "baton2", "old3");
            }
        }
    }

    @Test
    void aRowIsSentOnceWhateverHappensToItInTheTable(TestDatabase database) throws Exception {
        UUID id = UUID.randomUUID();
        try (OldOutbox old = new OldOutbox(database);
                Connection writer = database.connect()) {
            old.startRelay();
            OldOutbox.insert(writer, id, UUID.randomUUID(), 1);
            until(() -> old.sent().size() == 1);
            adopt(database).run().succeeds();
            // Sent by the old relay, and inserted again by a careful writer.
            database.execute(
                    "INSERT INTO outbox_event (id, portfolio_id, event_type, payload) SELECT id, portfolio_id, event_type, payload"
                            + " FROM outbox_event ON CONFLICT (id) DO NOTHING");
            assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("0");
            // Baton's, and set back by somebody who looks after rows that seem forgotten.
            OldOutbox.insert(writer, UUID.randomUUID(), UUID.randomUUID(), 2);
            database.execute("UPDATE outbox_event SET status = 'PENDING' WHERE status <> 'SENT'");
            // Rolled back to a savepoint, and not pending at all.
            writer.setAutoCommit(false);
            var savepoint = writer.setSavepoint();
            OldOutbox.insert(writer, UUID.randomUUID(), UUID.randomUUID(), 3);
            writer.rollback(savepoint);
            writer.createStatement()
                    .execute("INSERT INTO outbox_event (id, portfolio_id, event_type, payload, status)"
                            + " VALUES (gen_random_uuid(), gen_random_uuid(), 'x', '{}', 'SENT')");
            writer.commit();
            assertThat(database.one("SELECT string_agg(status, ' ' ORDER BY created_at) FROM outbox_event"))
                    .isEqualTo("SENT BATON SENT");
            assertThat(database.one("SELECT string_agg(payload::text, ' ') FROM baton.outbox"))
                    .isEqualTo("{\"trade\": 2}");
        }
    }

    /** Who adopts owns the table and is a member of Baton's owner; who writes has a right to the table and no other. */
    @Test
    void writersNeedNoRightInBatonsSchema(TestDatabase database) throws Exception {
        database.execute(Baton.rolesScript(SchemaName.DEFAULT));
        try (OldOutbox old = new OldOutbox(database)) {
            assertThat(old.sent()).isEmpty();
            database.execute("CREATE ROLE shop LOGIN; GRANT INSERT ON outbox_event TO shop;"
                    + "CREATE ROLE ops LOGIN IN ROLE baton_owner; ALTER TABLE outbox_event OWNER TO ops");
            try (Connection shop =
                    DatabaseUrl.parse(database.urlFor("shop")).connector().connect()) {
                adopt(database, "--pending", "PENDING,NEW")
                        .on(database.urlFor("ops"))
                        .run()
                        .succeeds();
                assertThat(
                                database.one(
                                        "SELECT string_agg(DISTINCT proowner::regrole::text, ' ') FROM pg_proc WHERE pronamespace = 'baton'::regnamespace"))
                        .isEqualTo("baton_owner");
                OldOutbox.insert(shop, UUID.randomUUID(), UUID.randomUUID(), 1);
                assertThatThrownBy(() -> shop.createStatement()
                                .execute("INSERT INTO baton.outbox (topic, payload) VALUES ('t', '1')"))
                        .hasMessageContaining("permission denied");
                assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("1");
                try (Baton baton = relay(database, old)) {
                    assertThat(baton.who()).isNotEmpty();
                    undo(database).on(database.urlFor("ops")).run().succeeds();
                }
                OldOutbox.insert(shop, UUID.randomUUID(), UUID.randomUUID(), 2);
                assertThat(database.one("SELECT count(*) FROM outbox_event WHERE status = 'PENDING'"))
                        .isEqualTo("1");
            } finally {
                database.execute("DROP OWNED BY shop, ops; DROP ROLE shop, ops");
            }
        }
    }

    @Test
    void whoMayNotIsToldInOneSentence(TestDatabase database) throws Exception {
        database.execute(Baton.rolesScript(SchemaName.DEFAULT));
        try (OldOutbox old = new OldOutbox(database)) {
            assertThat(old.sent()).isEmpty();
            database.execute("CREATE ROLE viewer LOGIN IN ROLE baton_read; ALTER TABLE outbox_event OWNER TO viewer;"
                    + "CREATE ROLE deputy LOGIN IN ROLE baton_owner; GRANT SELECT ON outbox_event TO deputy");
            try {
                for (String more : List.of("--dry-run", "--json")) {
                    adopt(database, more)
                            .on(database.urlFor("viewer"))
                            .run()
                            .complains(
                                    78,
                                    "The role 'viewer' may not adopt tables: it is not a member of 'baton_owner', which owns the schema 'baton'.");
                }
                adopt(database, "--dry-run").on(database.urlFor("deputy")).run().succeeds();
                adopt(database)
                        .on(database.urlFor("deputy"))
                        .run()
                        .complains(
                                78,
                                "The role 'deputy' may not adopt the table outbox_event: it is not a member of 'viewer', which owns the table.");
                assertThat(functions(database)).isEqualTo("0");
            } finally {
                database.execute(
                        "ALTER TABLE outbox_event OWNER TO CURRENT_USER; DROP OWNED BY viewer, deputy; DROP ROLE viewer, deputy");
            }
        }
    }

    @Test
    void twoTablesAreAdoptedAtOnceAndOneIsKeptWhenTheOtherIsGivenBack(TestDatabase database) throws Exception {
        database.execute(
                "CREATE TABLE mail (id serial PRIMARY KEY, key text, payload text, status text DEFAULT 'NEW')");
        try (OldOutbox old = new OldOutbox(database);
                Connection writer = database.connect()) {
            assertThat(old.sent()).isEmpty();
            try (Cli one = adopt(database).start();
                    Cli two = Cli.baton("logs", "adopt", "mail", "--topic", "mails", "--settle", "200ms", "--yes")
                            .on(database.url())
                            .start()) {
                one.awaitEnd().succeeds();
                two.awaitEnd().succeeds();
            }
            assertThat(database.one("SELECT count(*) FROM baton.adoption WHERE state = 'adopted'"))
                    .isEqualTo("2");
            try (Baton relay = relay(database, old)) {
                assertThat(relay.who()).isNotEmpty();
                undo(database).run().succeeds();
            }
            database.execute("INSERT INTO mail (key, payload) VALUES ('k', 'no JSON')");
            OldOutbox.insert(writer, UUID.randomUUID(), UUID.randomUUID(), 1);
            assertThat(database.one("SELECT string_agg(topic, ' ') FROM baton.outbox"))
                    .isEqualTo("mails");

            database.execute("DROP TABLE mail");
            Cli.baton("logs", "adopt", "mail", "--undo", "--yes")
                    .on(database.url())
                    .run()
                    .complains(78, "There is no table 'mail' in this database");
            assertThat(functions(database)).isEqualTo("0");
            assertThat(database.one("SELECT count(*) FROM baton.adoption")).isEqualTo("0");
        }
    }

    /** As everybody may leave them there up to PostgreSQL 14. The operator of the command may be a superuser. */
    @Test
    void nothingThatSomebodyPutIntoPublicIsRun(TestDatabase database) throws Exception {
        try (OldOutbox old = new OldOutbox(database)) {
            assertThat(old.sent()).isEmpty();
            database.execute("""
                    CREATE FUNCTION trap(regclass, regclass) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE ''trapped''; END';
                    CREATE FUNCTION trap(text, varchar) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE ''trapped''; END';
                    CREATE FUNCTION trap(oid, regclass) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE ''trapped''; END';
                    CREATE OPERATOR = (LEFTARG = regclass, RIGHTARG = regclass, FUNCTION = trap);
                    CREATE OPERATOR = (LEFTARG = text, RIGHTARG = varchar, FUNCTION = trap);
                    CREATE OPERATOR = (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = trap)""");
            adopt(database, "--dry-run").run().succeeds();
            adopt(database).run().succeeds();
            try (Baton relay = relay(database, old)) {
                assertThat(relay.who()).isNotEmpty();
                undo(database).run().succeeds();
            }
        }
    }

    @Test
    void anOpenTransactionOfAWriterIsWaitedForAndHoldsUpNobody(TestDatabase database) throws Exception {
        UUID portfolio = UUID.randomUUID();
        try (OldOutbox old = new OldOutbox(database);
                Connection open = database.connect();
                Connection other = database.connect()) {
            assertThat(old.sent()).isEmpty();
            open.setAutoCommit(false);
            OldOutbox.insert(open, UUID.randomUUID(), portfolio, 1);
            try (Cli command = adopt(database).start()) {
                until(() -> database.one(
                                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%begin_adoption%' AND datname = current_database() AND pid <> pg_backend_pid()")
                        .equals("1"));
                other.createStatement().execute("SET lock_timeout = '5s'");
                for (int i = 2; i < 20; i++) {
                    OldOutbox.insert(other, UUID.randomUUID(), UUID.randomUUID(), i);
                }
                assertThat(database.one("SELECT count(*) FROM baton.adoption")).isEqualTo("0");
                open.commit(); // before the switch: all of these are the old relay's
                until(() -> database.one("SELECT count(*) FROM baton.adoption").equals("1"));
                OldOutbox.insert(other, UUID.randomUUID(), portfolio, 20);
                old.startRelay();
                command.awaitEnd().succeeds();
            }
            assertThat(old.sent()).hasSize(19);
            assertThat(database.one("SELECT payload FROM baton.outbox")).isEqualTo("{\"trade\": 20}");
        }
    }

    @Test
    void anyKindOfTableBecomesMessages(TestDatabase database) throws Exception {
        database.execute("""
                CREATE SCHEMA app;
                CREATE TYPE app.phase AS ENUM ('NEW', 'DONE', 'BATON');
                CREATE TABLE app."Events" (
                  n bigserial PRIMARY KEY, aggregate_id bigint, destination varchar(100), event_type text, headers jsonb,
                  body text, state app.phase NOT NULL DEFAULT 'NEW') PARTITION BY RANGE (n);
                CREATE TABLE app.events_1 PARTITION OF app."Events" FOR VALUES FROM (1) TO (1000000)""");
        Cli.baton("logs", "adopt", "app.\"Events\"", "--id", "n", "--settle", "0s", "--yes")
                .on(database.url())
                .run()
                .succeeds();
        database.execute("""
                INSERT INTO app."Events" (aggregate_id, destination, event_type, headers, body) VALUES
                  (7, 'orders', 'Placed', '{"traceparent": "00-1"}', '{"a":  1}'), (7, 'orders', NULL, NULL, 'no JSON, größe'),
                  (NULL, 'orders', NULL, NULL, NULL)""");
        database.execute(
                "CREATE TABLE blobs (id text, key text, topic text, payload bytea, status varchar(10) DEFAULT 'PENDING')");
        Cli.baton("logs", "adopt", "blobs", "--settle", "0s", "--yes")
                .on(database.url())
                .run()
                .succeeds();
        database.execute(
                "INSERT INTO blobs VALUES ('6C0C0D1E-0000-4000-8000-000000000001', 'k', 't', '\\x00ff'), ('other', 'k', 't', NULL)");
        try (Baton baton = database.baton()) {
            List<Message> messages = baton.log("outbox").read().list();
            assertThat(messages).hasSize(5);
            assertThat(messages.get(0).key()).isEqualTo("7");
            assertThat(messages.get(0).topic()).isEqualTo("orders");
            assertThat(messages.get(0).type()).isEqualTo("Placed");
            assertThat(messages.get(0).headerMap()).containsEntry("traceparent", "00-1");
            assertThat(messages.get(0).text()).isEqualTo("{\"a\":  1}");
            assertThat(messages.get(0).isJson()).isTrue();
            assertThat(messages.get(1).text()).isEqualTo("no JSON, größe");
            assertThat(messages.get(1).isJson()).isFalse();
            assertThat(messages.get(2).payload()).isEmpty();
            assertThat(messages.get(2).key()).isEqualTo(messages.get(2).id().toString());
            assertThat(messages.get(3).id()).hasToString("6c0c0d1e-0000-4000-8000-000000000001");
            assertThat(messages.get(3).payload()).containsExactly(0, 0xff);
            assertThat(messages.get(4).payload()).isEmpty();
        }
        assertThat(database.one("SELECT string_agg(state::text, '') FROM app.\"Events\""))
                .isEqualTo("BATONBATONBATON");
    }

    @Test
    void aDryRunSaysWhatWouldBeAndChangesNothing(TestDatabase database) throws Exception {
        try (OldOutbox old = new OldOutbox(database);
                Connection writer = database.connect()) {
            assertThat(old.sent()).isEmpty();
            OldOutbox.insert(writer, UUID.randomUUID(), UUID.randomUUID(), 1);
            OldOutbox.insert(writer, UUID.randomUUID(), UUID.randomUUID(), 2);
            Cli.Ended people = adopt(database, "--dry-run").run().succeeds();
            assertThat(people.out())
                    .containsPattern("MESSAGE +FROM outbox_event")
                    .containsPattern("key +column portfolio_id")
                    .containsPattern("topic +'trades'")
                    .containsPattern("type +column event_type")
                    .containsPattern("status +column status: PENDING becomes BATON");
            assertThat(people.err()).contains("Rows by status: PENDING 2.", "leaves 2 rows (PENDING) to the old relay");

            JsonNode plan = JsonMapper.shared()
                    .readTree(adopt(database, "--dry-run", "--json")
                            .run()
                            .succeeds()
                            .out());
            assertThat(plan.get("key").asString()).isEqualTo("portfolio_id");
            assertThat(plan.get("pending").get(0).asString()).isEqualTo("PENDING");
            assertThat(plan.get("statuses").get("PENDING").asInt()).isEqualTo(2);
            assertThat(plan.get("rowsChecked").asInt()).isEqualTo(2);
            assertThat(plan.get("problem").isNull()).isTrue();

            Cli.Ended bad = Cli.baton("logs", "adopt", "outbox_event", "--topic", "two words", "--dry-run")
                    .on(database.url())
                    .run();
            assertThat(bad.code()).isEqualTo(1);
            assertThat(bad.err())
                    .contains("The log 'outbox' would refuse 2 of 2 rows")
                    .contains("the topic 'two words' has a blank");
            assertThat(database.one("SELECT count(*) FROM baton.adoption")).isEqualTo("0");
            assertThat(database.one("SELECT count(*) FROM baton.action")).isEqualTo("0");
            assertThat(functions(database)).isEqualTo("0");
            assertThat(Cli.baton("doctor").on(database.url()).run().out()).doesNotContain("adopted");
            Cli.baton("logs", "show", "outbox").on(database.url()).run().succeeds();
            OldOutbox.insert(writer, UUID.randomUUID(), UUID.randomUUID(), 3);
            assertThat(database.one("SELECT count(*) FROM outbox_event WHERE status = 'PENDING'"))
                    .isEqualTo("3");
        }
    }

    @Test
    void mistakesAreSentences(TestDatabase database) throws Exception {
        try (OldOutbox old = new OldOutbox(database);
                Connection writer = database.connect()) {
            assertThat(old.sent()).isEmpty();
            OldOutbox.insert(writer, UUID.randomUUID(), UUID.randomUUID(), 1);
            complains(database, 78, "There is no table 'outbox_evnt' in this database", "outbox_evnt", "--topic", "t");
            complains(
                    database,
                    64,
                    "says where a message goes (or give one --topic for all) cannot be told from the names (id, portfolio_id,",
                    "outbox_event");
            complains(
                    database,
                    78,
                    "has no column 'portfolioid'; did you mean 'portfolio_id'?",
                    "outbox_event",
                    "--topic",
                    "t",
                    "--key",
                    "portfolioid");
            complains(
                    database,
                    64,
                    "has type uuid, and a payload is json, jsonb, text or bytea",
                    "outbox_event",
                    "--topic",
                    "t",
                    "--payload",
                    "id");
            complains(
                    database, 64, "The log 'events' is no outbox", "outbox_event", "--topic", "t", "--into", "events");
            complains(database, 64, "There is no terminal to ask at: add --yes", "outbox_event", "--topic", "t");
            database.execute("ALTER TABLE outbox_event ADD CHECK (status IN ('PENDING', 'SENT', 'MOVED'))");
            complains(
                    database,
                    64,
                    "The column status refuses 'BATON': new row for relation",
                    "outbox_event",
                    "--topic",
                    "t",
                    "--yes");
            database.execute("UPDATE outbox_event SET status = 'SENT'");
            complains(
                    database,
                    64,
                    "have the status SENT already, and Baton needs one of its own",
                    "outbox_event",
                    "--topic",
                    "t",
                    "--taken",
                    "SENT",
                    "--yes");
            complains(
                    database,
                    64,
                    "the topic '?' has a blank",
                    "outbox_event",
                    "--topic",
                    "ü",
                    "--taken",
                    "MOVED",
                    "--yes");
            database.execute(
                    "CREATE TABLE sent (id uuid, aggregate_id uuid, topic text, payload text, status boolean)");
            complains(database, 64, "is a boolean, and a third value is needed", "sent");
        }
    }

    /** How many functions of adoption the schema has. */
    private static String functions(TestDatabase database) throws Exception {
        return database.one(
                "SELECT count(*) FROM pg_proc WHERE pronamespace = 'baton'::regnamespace AND proname ~ 'adopt|_return$|json_or_null'");
    }

    private static void complains(TestDatabase database, int code, String part, String... arguments) {
        List<String> all = new ArrayList<>(List.of("logs", "adopt"));
        all.addAll(List.of(arguments));
        Cli.Ended ended =
                Cli.baton(all.toArray(String[]::new)).on(database.url()).run();
        assertThat(ended.err()).contains(part).doesNotContain("Exception", "\tat ", "null");
        assertThat(ended.code()).as(ended.err()).isEqualTo(code);
    }

    private static Baton relay(TestDatabase database, OldOutbox old) {
        Baton baton = database.baton();
        baton.subscription("trades")
                .on("outbox")
                .react((message, delivery) -> old.send(message.id(), message.key(), message.text(), "baton"))
                .start();
        return baton;
    }

    private static Cli.Run adopt(TestDatabase database, String... more) {
        List<String> all = new ArrayList<>(ADOPT);
        all.addAll(List.of(more));
        return Cli.baton(all.toArray(String[]::new)).on(database.url());
    }

    private static Cli.Run undo(TestDatabase database, String... more) {
        List<String> all = new ArrayList<>(List.of("logs", "adopt", "outbox_event", "--undo", "--yes"));
        all.addAll(List.of(more));
        return Cli.baton(all.toArray(String[]::new)).on(database.url());
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(10))
                .until(condition);
    }
}
