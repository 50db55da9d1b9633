package org.pgbaton.proofs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.database.SchemaName;
import org.pgbaton.migration.AdoptionFunctions;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Every row of an adopted table becomes a message, also after a restore, and when ids are used again. */
@BatonTest
class AdoptedTablesTest {
    private static final String BEGIN = AdoptionFunctions.installation(SchemaName.DEFAULT) + """
            SELECT baton.begin_adoption(jsonb_populate_record(NULL::baton.adoption, '{"relation": "public.orders", "log": "outbox",
              "id_column": "id", "key_column": "customer", "fixed_topic": "orders", "payload_column": "body",
              "status_column": "status", "pending": ["PENDING"], "taken": "BATON", "state": "draining"}'), 'test', 'a test')""";
    private static final String FINISH = "SELECT baton.finish_adoption('public.orders', 'test', 'a test')";

    @Test
    void aNumberThatIsGivenOutAgainIsAnotherRowAndAnotherMessage(TestDatabase database) throws SQLException {
        createTable(database);
        database.execute(BEGIN);
        insert(database, 2);
        database.execute("TRUNCATE public.orders RESTART IDENTITY");
        insert(database, 2);
        assertThat(database.one(FINISH)).isEqualTo("4");
        insert(database, 2);
        database.execute("TRUNCATE public.orders RESTART IDENTITY");
        insert(database, 3);

        assertThat(database.one("SELECT string_agg(status, ' ') FROM public.orders"))
                .isEqualTo("BATON BATON BATON");
        assertThat(database.one("SELECT count(*) || ' ' || count(DISTINCT id) FROM baton.outbox"))
                .isEqualTo("9 9");
    }

    @Test
    void aPartitionedTableIsAdoptedAsAWhole(TestDatabase database) throws SQLException {
        database.execute("""
                CREATE TABLE public.orders (id bigint GENERATED ALWAYS AS IDENTITY, customer text, body json, status text)
                  PARTITION BY RANGE (id);
                CREATE TABLE public.few PARTITION OF public.orders FOR VALUES FROM (0) TO (3);
                CREATE TABLE public.many PARTITION OF public.orders FOR VALUES FROM (3) TO (1000)""");
        database.execute(BEGIN);
        insert(database, 4);
        assertThat(database.one(FINISH)).isEqualTo("4");
        insert(database, 1);
        assertThat(database.one("SELECT count(*) FROM baton.outbox")).isEqualTo("5");
    }

    /** The restored database has other OIDs. */
    @Test
    void whatWaitsIsSentAlsoAfterADumpAndARestore(TestDatabase database, @TempDir Path folder) throws Exception {
        assumeTrue(
                canDump(database),
                "pg_dump of the server's version is missing (Debian: postgresql-client); not tested");
        createTable(database);
        database.execute(BEGIN);
        insert(database, 4);
        Path dump = folder.resolve("dump.sql");
        run(List.of("pg_dump", "-d", uri(database, database.name()), "-f", dump.toString()));
        String restored = database.name() + "_restored";
        database.execute("CREATE DATABASE " + restored + " TEMPLATE template0");
        try {
            try (Connection connection = connect(database, restored)) {
                // So that no table gets its former OID by chance.
                one(connection, "SELECT lo_create(0) FROM generate_series(1, 50)");
            }
            run(List.of("psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", uri(database, restored), "-f", dump.toString()));
            try (Connection connection = connect(database, restored)) {
                one(
                        connection,
                        "INSERT INTO public.orders (customer, body, status) VALUES ('k', '{}', 'PENDING') RETURNING 1");
                assertThat(one(connection, FINISH)).isEqualTo("5");
                one(
                        connection,
                        "INSERT INTO public.orders (customer, body, status) VALUES ('k', '{}', 'PENDING') RETURNING 1");
                assertThat(one(connection, "SELECT count(*) FROM baton.outbox")).isEqualTo("6");
                assertThat(one(connection, "SELECT count(*) FROM baton.adoption_waiting"))
                        .isEqualTo("0");
                assertThat(one(connection, "SELECT count(*) FROM pg_proc WHERE proname LIKE 'adopted\\_%\\_take'"))
                        .isEqualTo("1");
            }
        } finally {
            database.execute("DROP DATABASE " + restored + " WITH (FORCE)");
        }
    }

    private static void createTable(TestDatabase database) throws SQLException {
        database.execute("CREATE TABLE public.orders (id serial PRIMARY KEY, customer text, body json, status text)");
    }

    private static void insert(TestDatabase database, int rows) throws SQLException {
        database.execute(
                "INSERT INTO public.orders (customer, body, status) SELECT 'k', '{}', 'PENDING' FROM generate_series(1, "
                        + rows + ")");
    }

    /** pg_dump refuses a server that is newer than itself. */
    private static boolean canDump(TestDatabase database) throws SQLException, InterruptedException {
        try {
            Process asked = new ProcessBuilder("pg_dump", "--version").start();
            String version = new String(asked.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            asked.waitFor();
            int server = Integer.parseInt(database.one("SHOW server_version_num")) / 10_000;
            return Integer.parseInt(version.replaceAll("(?s)^\\D*(\\d+).*$", "$1")) >= server;
        } catch (IOException notThere) {
            return false;
        }
    }

    private static void run(List<String> command) throws Exception {
        Path said = Files.createTempFile("baton-command", ".txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(said)).isZero();
        Files.delete(said);
    }

    private static String uri(TestDatabase database, String name) throws SQLException {
        return jdbc(database, name).substring("jdbc:".length());
    }

    private static String jdbc(TestDatabase database, String name) {
        return database.url().replace("/" + database.name(), "/" + name);
    }

    private static Connection connect(TestDatabase database, String name) throws SQLException {
        return DriverManager.getConnection(jdbc(database, name));
    }

    private static String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? String.valueOf(row.getString(1)) : "null";
        }
    }
}
