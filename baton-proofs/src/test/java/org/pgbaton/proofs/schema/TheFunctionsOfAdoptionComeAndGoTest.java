package org.pgbaton.proofs.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.SchemaName;
import org.pgbaton.migration.AdoptionFunctions;
import org.pgbaton.schema.Migration;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * The functions that adopt tables are in the schema as long as a table is adopted, and no longer: whoever adopts, gives back, drops or
 * migrates beside it, and whoever dies.
 */
@BatonTest
class TheFunctionsOfAdoptionComeAndGoTest {
    private static final String INSTALLATION = AdoptionFunctions.installation(SchemaName.DEFAULT);
    private static final String REMOVAL = AdoptionFunctions.removal(SchemaName.DEFAULT);

    @Test
    void aNewDatabaseHasNone(TestDatabase database) throws SQLException {
        assertThat(functions(database)).isZero();
    }

    @Test
    void theyComeWithTheFirstTableAndGoWithTheLast(TestDatabase database) throws SQLException {
        step(database, begin("orders"));
        int all = functions(database);
        step(database, begin("mails"));
        step(database, finish("orders"));
        assertThat(all).isGreaterThan(10);

        step(database, giveBack("mails"));
        assertThat(functions(database)).isEqualTo(all);
        insert(database, "orders", "no JSON");
        insert(database, "orders", "{}");
        insert(database, "mails", "{}");
        assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("2");
        assertThat(database.one("SELECT status FROM public.mails")).isEqualTo("NEW");

        step(database, giveBack("orders"));
        assertThat(functions(database)).as("it is not given back yet").isEqualTo(all);
        database.execute("""
                INSERT INTO baton.subscription (name, log, ordering, state) VALUES ('s', 'outbox', 'total', 'running');
                INSERT INTO baton.checkpoint (subscription, lane, position)
                  SELECT s.id, -1, (SELECT max(position) FROM baton.outbox) FROM baton.subscription s""");
        step(database, "SELECT baton.finish_return('public.orders', 'test', 'a test')");
        assertNothingIsLeft(database);
        insert(database, "orders", "{}");
        assertThat(database.one("SELECT count(*) FROM public.orders WHERE status = 'NEW'"))
                .isEqualTo("1");
    }

    @Test
    void aStepThatIsRolledBackLeavesNothing(TestDatabase database) throws SQLException {
        createTable(database, "orders");
        try (Connection killed = database.connect()) {
            killed.setAutoCommit(false);
            run(killed, INSTALLATION);
            killed.rollback();
            assertNothingIsLeft(database);
            run(killed, INSTALLATION + begin("orders") + ";" + REMOVAL);
            database.execute("SELECT pg_terminate_backend(" + pid(killed) + ")");
        }
        assertNothingIsLeft(database);
    }

    @Test
    void anotherStepMeanwhileWaitsAndFindsThem(TestDatabase database) throws Exception {
        createTable(database, "orders");
        try (Connection first = database.connect()) {
            first.setAutoCommit(false);
            run(first, INSTALLATION + begin("orders") + ";" + REMOVAL);
            CompletableFuture<Void> second = later(() -> step(database, begin("mails")));
            awaitWaiting(database, "advisory");
            first.commit();
            second.get(60, TimeUnit.SECONDS);
            assertThat(database.one("SELECT count(*) FROM baton.adoption")).isEqualTo("2");
            assertThat(functions(database)).isGreaterThan(10);
        }
    }

    /** The last table is given back in the moment in which another one is adopted. */
    @Test
    void whoAdoptsWhileTheLastTableIsGivenBackHasThemAgain(TestDatabase database) throws Exception {
        step(database, begin("orders"));
        try (Connection first = database.connect()) {
            first.setAutoCommit(false);
            run(first, INSTALLATION + giveBack("orders") + ";" + REMOVAL);
            CompletableFuture<Void> second = later(() -> step(database, begin("mails")));
            awaitWaiting(database, "advisory");
            first.commit();
            second.get(60, TimeUnit.SECONDS);
            insert(database, "mails", "{}");
            step(database, finish("mails"));
            assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("1");
        }
    }

    @Test
    void theAdoptionOfATableThatWasDroppedEndsWithTheNextStep(TestDatabase database) throws SQLException {
        step(database, begin("orders"));
        step(database, finish("orders"));
        database.execute("DROP TABLE public.orders");
        step(database, begin("mails"));
        assertThat(database.one("SELECT string_agg(relation::text, ' ') FROM baton.adoption"))
                .isEqualTo("mails");
        assertThat(functions(database)).isGreaterThan(10);
        assertThat(database.one("SELECT reason FROM baton.action WHERE what = 'gave back'"))
                .isEqualTo("the table was dropped");

        database.execute("DROP TABLE public.mails");
        database.execute(REMOVAL);
        assertNothingIsLeft(database);
    }

    @Test
    void messagesThatWaitAreKeptWhenTheirTableIsDropped(TestDatabase database) throws SQLException {
        step(database, begin("orders"));
        insert(database, "orders", "{}");
        database.execute("DROP TABLE public.orders");
        database.execute(REMOVAL);
        assertThat(database.one("SELECT count(*) FROM baton.adoption_waiting WHERE id IS NOT NULL"))
                .isEqualTo("1");
        assertThat(database.one("SELECT count(*) FROM baton.adoption")).isEqualTo("1");
        assertThat(functions(database)).isZero();
    }

    @Test
    void aMigrationRemovesThemIfNoTableIsAdopted(TestDatabase database) throws SQLException {
        becomeAnEarlierVersion(database);
        database.baton().close();
        assertNothingIsLeft(database);
    }

    @Test
    void aMigrationRenewsThemIfATableIsAdopted(TestDatabase database) throws SQLException {
        becomeAnEarlierVersion(database);
        database.execute(begin("orders"));
        insert(database, "orders", "{}");
        makeUseless(database);
        database.baton().close();

        insert(database, "orders", "{}");
        step(database, finish("orders"));
        insert(database, "orders", "{}");
        assertThat(database.one("SELECT count(*) || ' ' || count(payload) FROM baton.outbox"))
                .isEqualTo("3 3");
    }

    /** In a database that is as old as that, triggers have OIDs in their names. */
    @Test
    void aTableThatWasAdoptedAtStepSevenGoesOn(TestDatabase database) throws Exception {
        SchemaName seven = new SchemaName("step_seven");
        database.execute(AnOlderDatabaseBecomesTheSameAsANewOneTest.atStepSeven(seven.name()));
        createTable(database, "orders");
        database.execute(begin("orders").replace("baton.", "step_seven."));
        insert(database, "orders", "{}");
        Baton.builder(database.url()).schema(seven.name()).open().close();
        insert(database, "orders", "{}");
        database.execute(AdoptionFunctions.installation(seven)
                + finish("orders").replace("baton.", "step_seven.") + ";" + AdoptionFunctions.removal(seven));
        insert(database, "orders", "{}");

        assertThat(database.one("SELECT count(*) FROM step_seven.outbox")).isEqualTo("3");
        step(database, begin("mails"));
        String texts = "SELECT string_agg(replace(p.prosrc, '%1$s', 'baton'), E'\\n' ORDER BY p.proname) FROM pg_proc p"
                + " WHERE p.pronamespace = '%1$s'::regnamespace AND p.proname !~ '^adopted_.*_'";
        assertThat(database.one(String.format(texts, "step_seven")))
                .isEqualTo(database.one(String.format(texts, "baton")));
        assertThat(database.one("SELECT count(*) FROM pg_proc WHERE proname ~ '^adopted_[0-9]{1,10}_take$'"))
                .isEqualTo("0");
    }

    @Test
    void whatANewerProgramInstalledStays(TestDatabase database) throws SQLException {
        step(database, begin("orders"));
        int newest = Migration.all().size();
        database.execute("INSERT INTO baton.migration (number, name, compatible_from) VALUES (" + (newest + 1)
                + ", 'later', 1)");
        database.execute("ALTER FUNCTION baton.adopted_table(regclass) COST 77");
        step(database, finish("orders"));
        assertThat(database.one("SELECT procost FROM pg_proc WHERE proname = 'adopted_table'"))
                .isEqualTo("77");
        assertThat(database.one("SELECT state FROM baton.adoption")).isEqualTo("adopted");
    }

    /** It takes no lock of the migrations. */
    @Test
    void aProgramOfAnEarlierVersionThatHasBegunToAdoptIsWaitedFor(TestDatabase database) throws Exception {
        becomeAnEarlierVersion(database);
        try (Connection earlier = database.connect()) {
            earlier.setAutoCommit(false);
            run(earlier, begin("orders"));
            CompletableFuture<Void> migration = later(() -> database.baton().close());
            awaitWaiting(database, "relation");
            earlier.commit();
            migration.get(60, TimeUnit.SECONDS);
        }
        assertThat(functions(database)).as("what its writers call").isGreaterThan(10);
        insert(database, "orders", "{}");
        step(database, finish("orders"));
        assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("1");
    }

    @Test
    void aProgramOfAnEarlierVersionThatBeginsWhenTheyAreGoneFailsAndChangesNothing(TestDatabase database)
            throws Exception {
        becomeAnEarlierVersion(database);
        try (Connection writer = database.connect()) {
            writer.setAutoCommit(false);
            run(writer, "INSERT INTO public.orders (body) VALUES ('{}')");
            CompletableFuture<Void> earlier = later(() -> database.execute(begin("orders")));
            await().atMost(Duration.ofSeconds(60))
                    .until(
                            () -> "1"
                                    .equals(
                                            database.one(
                                                    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%begin_adoption%' AND datname = current_database() AND pid <> pg_backend_pid()")));
            database.baton().close();
            writer.commit();
            assertThatThrownBy(() -> earlier.get(90, TimeUnit.SECONDS)).hasMessageContaining("does not exist");
        }
        assertNothingIsLeft(database);
    }

    /** As step 13 left it: with the functions, which every migration made. */
    private static void becomeAnEarlierVersion(TestDatabase database) throws SQLException {
        database.execute(INSTALLATION);
        createTable(database, "orders");
        // What later steps made.
        database.execute("DROP TABLE baton.schedule, baton.schedule_run CASCADE");
        database.execute("DELETE FROM baton.migration WHERE number > 13");
    }

    private static void makeUseless(TestDatabase database) throws SQLException {
        database.execute("""
                CREATE OR REPLACE FUNCTION baton.json_or_null(content text) RETURNS json LANGUAGE sql AS 'SELECT NULL::json';
                CREATE OR REPLACE FUNCTION baton.finish_adoption(adopted regclass, asked_by text, because text) RETURNS bigint
                  LANGUAGE sql AS 'SELECT 0::bigint'""");
    }

    private static void step(TestDatabase database, String sql) throws SQLException {
        String table = sql.replaceAll("(?s).*public\\.(\\w+).*", "$1");
        createTable(database, table);
        database.execute(INSTALLATION + sql + ";" + REMOVAL);
    }

    private static void createTable(TestDatabase database, String table) throws SQLException {
        database.execute("CREATE TABLE IF NOT EXISTS public." + table
                + " (id serial PRIMARY KEY, body text, status text DEFAULT 'NEW')");
    }

    private static String begin(String table) {
        return """
                SELECT baton.begin_adoption(jsonb_populate_record(NULL::baton.adoption, '{"relation": "public.TABLE", "log": "outbox",
                  "id_column": "id", "fixed_topic": "t", "payload_column": "body", "status_column": "status", "pending": ["NEW"],
                  "taken": "BATON", "state": "draining"}'), 'test', 'a test')""".replace("TABLE", table);
    }

    private static String finish(String table) {
        return "SELECT baton.finish_adoption('public." + table + "', 'test', 'a test')";
    }

    private static String giveBack(String table) {
        return "SELECT baton.begin_return('public." + table + "', 'test', 'a test')";
    }

    private static void insert(TestDatabase database, String table, String body) throws SQLException {
        database.execute("INSERT INTO public." + table + " (body) VALUES ('" + body + "')");
    }

    private static int functions(TestDatabase database) throws SQLException {
        return Integer.parseInt(database.one("""
                SELECT count(*) FROM pg_proc p
                 WHERE p.pronamespace = 'baton'::regnamespace AND position(format('FUNCTION "baton".%s(', p.proname) IN ?) > 0""", INSTALLATION));
    }

    private static void assertNothingIsLeft(TestDatabase database) throws SQLException {
        assertThat(functions(database)).isZero();
        assertThat(database.one("SELECT count(*) FROM pg_proc WHERE proname LIKE 'adopted%'"))
                .isEqualTo("0");
        assertThat(database.one("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'zz\\_baton%'"))
                .isEqualTo("0");
        assertThat(database.one("SELECT count(*) FROM baton.adoption")).isEqualTo("0");
    }

    private static void awaitWaiting(TestDatabase database, String kind) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !"0"
                        .equals(database.one(
                                "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND l.locktype = ?"
                                        + " AND a.datname = current_database()",
                                kind)));
    }

    @FunctionalInterface
    private interface Act {
        void run() throws SQLException;
    }

    private static CompletableFuture<Void> later(Act act) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                act.run();
                ended.complete(null);
            } catch (SQLException | RuntimeException failure) {
                ended.completeExceptionally(failure);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return ended;
    }

    private static String pid(Connection connection) throws SQLException {
        return Integer.toString(
                connection.unwrap(org.postgresql.PGConnection.class).getBackendPID());
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
