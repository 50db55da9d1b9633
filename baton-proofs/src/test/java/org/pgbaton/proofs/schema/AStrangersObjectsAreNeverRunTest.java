package org.pgbaton.proofs.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.log.Draft;
import org.pgbaton.log.ExpectedVersion;
import org.pgbaton.migration.AdoptionFunctions;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * A stranger who may create objects in the schema public, as everybody may up to PostgreSQL 14, creates operators,
 * functions and types there that fit better than PostgreSQL's own. A superuser that uses Baton never runs one of them.
 */
@BatonTest
class AStrangersObjectsAreNeverRunTest {
    /** Values for the arguments of a function, by the name or the type of each. */
    private static final String CALLS = """
            SELECT format('SELECT * FROM baton.%I(%s)', p.proname,
                     (SELECT string_agg(CASE
                         WHEN a.type = 'baton.adoption' THEN '(SELECT o FROM baton.adoption o LIMIT 1)'
                         WHEN a.name = 'sequence' AND a.type = 'regclass' THEN '''baton.outbox_position''::pg_catalog.regclass'
                         WHEN a.name = 'adopted' THEN '''public.old_outbox''::pg_catalog.regclass'
                         WHEN a.name LIKE '%log_name%' THEN '''outbox''::pg_catalog.text'
                         WHEN a.name IN ('receiver', 'leadership', 'asked_by', 'because', 'capture_name', 'token', 'here')
                           THEN '''x''::pg_catalog.text'
                         WHEN a.name = 'column_name' THEN '''id''::pg_catalog.text'
                         WHEN a.name = 'mode' THEN '''ACCESS SHARE''::pg_catalog.text'
                         WHEN a.name = 'role_name' THEN 'current_user::pg_catalog.text'
                         ELSE CASE a.type
                           WHEN 'text' THEN '''{"a":1}''::pg_catalog.text'
                           WHEN 'regclass' THEN '''baton.outbox''::pg_catalog.regclass'
                           WHEN 'integer' THEN '1' WHEN 'bigint' THEN '1::pg_catalog.int8' WHEN 'boolean' THEN 'false'
                           WHEN 'oid' THEN '''baton.outbox_position''::pg_catalog.regclass::pg_catalog.oid'
                           WHEN 'oid[]' THEN 'ARRAY[''baton.outbox_position''::pg_catalog.regclass::pg_catalog.oid]'
                           WHEN 'text[]' THEN '''{slow}''::pg_catalog.text[]' WHEN 'integer[]' THEN '''{1}''::pg_catalog.int4[]'
                           WHEN 'bigint[]' THEN '''{0}''::pg_catalog.int8[]' WHEN 'boolean[]' THEN '''{f}''::pg_catalog.bool[]'
                           WHEN 'interval' THEN '''1 s''::pg_catalog.interval' ELSE format('NULL::pg_catalog.%I', a.typname) END END, ', ' ORDER BY a.n)
                        FROM (SELECT n, coalesce(p.proargnames[n], '') AS name, format_type(y.oid, NULL) AS type, y.typname
                                FROM unnest(p.proargtypes) WITH ORDINALITY AS u (t, n) JOIN pg_type y ON y.oid = u.t) a))
              FROM pg_proc p
             WHERE p.pronamespace = 'baton'::regnamespace AND p.prorettype <> 'trigger'::regtype AND p.prokind = 'f'
             ORDER BY p.proname""";

    @Test
    void whateverTheFunctionAndEvenIfTheirSchemaComesFirst(TestDatabase database) throws Exception {
        prepare(database);
        List<String> calls = strings(database, CALLS);
        assertThat(calls).anyMatch(call -> call.contains("begin_adoption"));
        List<String> views = strings(
                database,
                "SELECT 'SELECT * FROM baton.' || quote_ident(relname) FROM pg_class WHERE relnamespace = 'baton'::regnamespace"
                        + " AND relkind = 'v'");
        strangerComes(database);

        try (Connection sleeper = database.connect();
                Connection victim = database.connect()) {
            // A sleeping reader makes writers ring.
            run(
                    sleeper,
                    "SELECT pg_catalog.pg_advisory_lock('baton.outbox'::pg_catalog.regclass::pg_catalog.int4, -1)");
            run(victim, "SET search_path = public, pg_catalog");
            int served = 0;
            for (String call : calls) {
                served += tries(victim, call) ? 1 : 0;
            }
            assertThat(served).as("of %s functions", calls.size()).isGreaterThan(25);
            views.forEach(view -> assertThat(tries(victim, view)).as(view).isTrue());
            run(victim, "INSERT INTO baton.outbox (topic, payload) VALUES ('t', '1')");
            run(victim, "INSERT INTO baton.odd (topic, payload) VALUES ('t', '1')");
            run(victim, "INSERT INTO public.old_outbox (id, payload) VALUES (2, '{}')");
            tries(victim, "INSERT INTO baton.outbox (topic, payload) VALUES ('with a blank', '1')");
            tries(victim, "UPDATE baton.outbox SET payload = '2'");
            tries(victim, "DELETE FROM baton.leadership");
        }
        assertNothingRan(database);
    }

    @Test
    void inAWholeLifeOfAServiceThatConnectsAsSuperuser(TestDatabase database) throws Exception {
        prepare(database);
        strangerComes(database);
        theirSchemaComesFirst(database);

        CountDownLatch handled = new CountDownLatch(3 + 5);
        AtomicInteger failures = new AtomicInteger();
        try (Baton baton = database.baton("me")) {
            var events = baton.log("events");
            Draft draft = Draft.json("1").key("k");
            events.append(draft);
            assertThat(events.append(draft).duplicate()).isTrue();
            events.appendTo("s", ExpectedVersion.none(), List.of(Draft.json("2"), Draft.json("3")));
            events.append(List.of(Draft.json("4").key("sick"), Draft.json("5").key("sick")));
            assertThat(events.read().list()).hasSize(5);
            baton.subscription("mirror")
                    .on("events")
                    .backoff(Duration.ofMillis(10), Duration.ofMillis(10))
                    .project((message, connection) -> {
                        if (message.key().equals("sick") && failures.incrementAndGet() < 4) {
                            throw new IllegalStateException("not yet");
                        }
                        if (message.version() == null) {
                            handled.countDown();
                        }
                    })
                    .start();
            baton.subscription("bell")
                    .on("events")
                    .react((message, delivery) -> handled.countDown())
                    .start();
            assertThat(handled.await(60, TimeUnit.SECONDS)).isTrue();
            baton.subscriptions().pause("mirror", "a look");
            baton.subscriptions().resume("mirror", "done");
            assertThat(baton.subscriptions().list()).isNotEmpty();
            assertThat(baton.subscriptions().actions(10)).isNotEmpty();
            assertThat(baton.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Leading.class);
            assertThat(baton.leaderStatus()).isNotEmpty();
            baton.logs().show("events");
            baton.logs().setRetention("events", Duration.ofDays(1));
            baton.logs().retainOnce("events");
            try (Connection connection = database.connect()) {
                connection.setAutoCommit(false);
                baton.inbox("i").firstTime(connection, UUID.randomUUID());
                events.append(connection, Draft.json("4").key("k"));
                connection.commit();
            }
        }
        assertNothingRan(database);
    }

    @Test
    void inTheLifeOfACapture(TestDatabase database) throws Exception {
        prepare(database);
        database.execute("CREATE TABLE public.alert (id pg_catalog.int8 PRIMARY KEY, k pg_catalog.text)");
        database.execute("INSERT INTO public.alert VALUES (1, 'a')");
        strangerComes(database);
        theirSchemaComesFirst(database);

        try (Baton baton = database.baton("me")) {
            // The table is named without its schema. Only this name is looked up along the user's path.
            baton.capture("changes").table("alert").key("id").existingRows().start();
            await().until(() -> "1".equals(database.one("SELECT pg_catalog.count(*) FROM baton.changes")));
            database.execute("INSERT INTO public.alert VALUES (2, 'b')");
            await().until(() -> "2".equals(database.one("SELECT pg_catalog.count(*) FROM baton.changes")));
            baton.captures().pause("changes", "a look");
            baton.captures().resume("changes", "done");
            assertThat(baton.captures().list()).isNotEmpty();
            assertThat(baton.captures().gaps("changes")).isEmpty();
            baton.captures().snapshot("changes", "once more");
            assertThat(baton.captures().snapshots("changes")).isNotEmpty();
        }
        try (Baton baton = database.baton("me")) {
            baton.captures().drop("changes", "done");
        }
        assertNothingRan(database);
    }

    /** The functions are made while the stranger's schema comes first. */
    @Test
    void inTheLifeOfAnAdoption(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE public.old_outbox (id bigint PRIMARY KEY, payload text, status text)");
        strangerComes(database);
        theirSchemaComesFirst(database);
        String before = AdoptionFunctions.installation(SchemaName.DEFAULT);
        String after = "; " + AdoptionFunctions.removal(SchemaName.DEFAULT);

        database.execute(before + """
                SELECT baton.begin_adoption(pg_catalog.jsonb_populate_record(NULL::baton.adoption, '{"relation": "public.old_outbox",
                  "log": "outbox", "id_column": "id", "fixed_topic": "t", "payload_column": "payload", "status_column": "status",
                  "pending": ["NEW"], "taken": "BATON"}'::pg_catalog.jsonb), 'me', 'a test')""" + after);
        database.execute("INSERT INTO public.old_outbox VALUES (1, '{}', 'NEW'), (2, 'no JSON', 'NEW')");
        database.execute(before + "SELECT baton.finish_adoption('public.old_outbox', 'me', 'a test')" + after);
        database.execute("INSERT INTO public.old_outbox VALUES (3, '{}', 'NEW')");
        assertThat(database.one("SELECT pg_catalog.count(*) FROM baton.outbox")).isEqualTo("3");
        database.execute(before + "SELECT baton.begin_return('public.old_outbox', 'me', 'a test')" + after);
        database.execute("DROP TABLE public.old_outbox");
        database.execute(AdoptionFunctions.removal(SchemaName.DEFAULT));
        assertThat(database.one("SELECT pg_catalog.count(*) FROM baton.adoption"))
                .isEqualTo("0");
        assertNothingRan(database);
    }

    /**
     * Functions that run with their owner's rights, called by a user whose own objects come first in the path, also
     * those in pg_temp.
     */
    @Test
    void inTheStrangersOwnSessionNothingOfItsRunsAsSomebodyElse(TestDatabase database) throws Exception {
        prepare(database);
        List<String> calls = strings(database, CALLS);
        strangerComes(database);
        String stranger = "stranger_" + database.name();
        database.execute("GRANT USAGE ON SCHEMA baton TO " + stranger);
        database.execute("GRANT ALL ON ALL TABLES IN SCHEMA baton TO " + stranger);
        database.execute("GRANT ALL ON ALL FUNCTIONS IN SCHEMA baton TO " + stranger);
        List<String> relations = strings(
                database,
                "SELECT pg_catalog.quote_ident(relname) FROM pg_catalog.pg_class WHERE relnamespace OPERATOR(pg_catalog.=)"
                        + " 'baton'::pg_catalog.regnamespace AND relkind IN ('r', 'v')");
        try (Connection connection =
                DatabaseUrl.parse(database.urlFor(stranger)).connector().connect()) {
            for (String relation : relations) {
                run(
                        connection,
                        "CREATE TEMP VIEW " + relation + " AS SELECT b.* FROM baton." + relation
                                + " b WHERE public.hit('view " + relation.replace("\"", "") + "')");
            }
            for (String type : List.of("text", "int4", "int8", "oid", "regclass", "record", "jsonb")) {
                tries(
                        connection,
                        "CREATE DOMAIN pg_temp." + type + " AS pg_catalog." + type + " CHECK (public.hit('type " + type
                                + "'))");
            }
            run(connection, "SET search_path = pg_temp, public, pg_catalog");
            int served = 0;
            for (String call : calls) {
                served += tries(connection, call) ? 1 : 0;
            }
            assertThat(served).as("of %s functions", calls.size()).isGreaterThan(10);
            tries(connection, "INSERT INTO baton.outbox (topic, payload) VALUES ('t', '1')");
        }
        assertThat(strings(
                        database,
                        "SELECT DISTINCT who OPERATOR(pg_catalog.||) ' ran ' OPERATOR(pg_catalog.||) what FROM public.loot"
                                + " WHERE who OPERATOR(pg_catalog.<>) '" + stranger + "'"))
                .isEmpty();
    }

    @Test
    void aFunctionThatLooksAlongThePathIsCaughtSoTheTestCanFail(TestDatabase database) throws Exception {
        strangerComes(database);
        database.execute("CREATE FUNCTION baton.careless(o pg_catalog.oid) RETURNS pg_catalog.text LANGUAGE plpgsql AS"
                + " 'BEGIN RETURN pg_catalog.concat(''baton.'') || o; END'");
        try (Connection victim = database.connect()) {
            tries(victim, "SELECT baton.careless(1::pg_catalog.oid)");
        }
        assertThat(database.one("SELECT is_called FROM public.hit")).isEqualTo("t");
    }

    private static void prepare(TestDatabase database) throws Exception {
        database.execute("""
                CREATE TABLE public.old_outbox (id bigint PRIMARY KEY, topic text DEFAULT 't', payload text, status text DEFAULT 'NEW');
                INSERT INTO public.old_outbox (id, payload, status) VALUES (1, '{}', 'SENT');
                SELECT baton.create_log('odd', 12);
                INSERT INTO baton.leadership (name, key) VALUES ('x', 1);
                INSERT INTO baton.subscription (name, log, ordering, state) VALUES ('s', 'outbox', 'total', 'running');
                INSERT INTO baton.checkpoint (subscription, lane, position) VALUES (1, -1, 0);
                INSERT INTO baton.outbox (topic, payload) VALUES ('t', '1')""");
        database.execute(AdoptionFunctions.installation(SchemaName.DEFAULT));
        database.execute("""
                SELECT baton.begin_adoption((r), 'me', 'a test') FROM (
                  SELECT jsonb_populate_record(NULL::baton.adoption, jsonb_build_object(
                    'relation', 'public.old_outbox', 'log', 'outbox', 'state', 'draining', 'id_column', 'id', 'topic_column', 'topic',
                    'payload_column', 'payload', 'status_column', 'status', 'pending', ARRAY['NEW'], 'taken', 'BATON')) AS r) a""");
    }

    private static void strangerComes(TestDatabase database) throws Exception {
        String stranger = "stranger_" + database.name();
        database.execute("CREATE ROLE " + stranger + " LOGIN; GRANT CREATE ON SCHEMA public TO " + stranger);
        try (Connection connection =
                        DatabaseUrl.parse(database.urlFor(stranger)).connector().connect();
                InputStream script = Objects.requireNonNull(
                        AStrangersObjectsAreNeverRunTest.class.getResourceAsStream("stranger.sql"))) {
            run(connection, "CREATE TABLE pg_temp.log (name text)");
            run(connection, new String(script.readAllBytes(), StandardCharsets.UTF_8));
        }
        database.execute("SELECT pg_catalog.setval('public.hit', 1, false); TRUNCATE public.loot");
    }

    private static void theirSchemaComesFirst(TestDatabase database) throws SQLException {
        database.execute("ALTER DATABASE " + database.name() + " SET search_path = public, pg_catalog");
    }

    private static void assertNothingRan(TestDatabase database) throws SQLException {
        assertThat(
                        strings(
                                database,
                                "SELECT DISTINCT who OPERATOR(pg_catalog.||) ' ran ' OPERATOR(pg_catalog.||) what FROM public.loot"))
                .isEmpty();
        // A rollback does not give the drawn number back.
        assertThat(database.one("SELECT is_called FROM public.hit")).isEqualTo("f");
    }

    private static boolean tries(Connection connection, String sql) {
        try {
            run(connection, sql);
            return true;
        } catch (SQLException refused) {
            return false;
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(20);
            statement.execute(sql);
        }
    }

    private static List<String> strings(TestDatabase database, String sql) throws SQLException {
        List<String> all = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                all.add(rows.getString(1));
            }
        }
        return all;
    }
}
