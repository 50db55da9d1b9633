package org.pgbaton.chaos.fault;

import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.world.OldOutbox;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.Wait;
import org.pgbaton.chaos.world.Workers;
import org.pgbaton.chaos.world.World;
import org.pgbaton.embedded.PostgresServer;
import org.pgbaton.embedded.StopMode;
import org.pgbaton.testkit.TestDatabase;

/** What can happen to PostgreSQL. */
final class DatabaseFaults {
    private static final List<String> TABLES =
            List.of("baton.checkpoint", "baton.parked", "baton.leadership", "baton.events", "baton.member");
    private static final List<String> OF_AN_ADOPTION =
            List.of("baton.outbox", "baton.adoption", "baton.adoption_waiting", OldOutbox.TABLE);

    private static final List<String> OF_A_CAPTURE = List.of("baton." + Part.ACCOUNTS);

    private DatabaseFaults() {}

    private static List<String> tables(World world) {
        List<String> tables = new ArrayList<>(TABLES);
        tables.addAll(world.scenario() == Scenario.ADOPTION ? OF_AN_ADOPTION : List.of());
        tables.addAll(world.scenario().has(Part.CAPTURE) ? OF_A_CAPTURE : List.of());
        return tables;
    }

    static void terminate(World world, Random random) throws Exception {
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            int per = 1 + random.nextInt(3);
            String ended = world.database()
                    .one(
                            "SELECT string_agg(application_name, ', ') FROM (SELECT application_name, pg_terminate_backend(pid)"
                                    + " FROM pg_stat_activity WHERE datname = current_database() AND usename = ?"
                                    + " ORDER BY random() LIMIT ?) t",
                            Workers.USER,
                            per);
            world.events().add("pg_terminate_backend: " + ended);
            Wait.between(random, 50, 500);
        }
    }

    static void killBackend(World world, Random random) throws Exception {
        String pid = world.database()
                .one(
                        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND usename = ? ORDER BY random() LIMIT 1",
                        Workers.USER);
        world.events().add("kill -9 of the server process " + pid);
        ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
        Wait.until(Wait.SOON, () -> world.database().one("SELECT 1").equals("1"));
        world.events().add("PostgreSQL is back");
    }

    static void restartFast(World world, Random random) {
        world.events().add("PostgreSQL restarts (fast)");
        restart(world, StopMode.FAST);
    }

    static void restartImmediate(World world, Random random) {
        world.events().add("PostgreSQL restarts (immediate)");
        restart(world, StopMode.IMMEDIATE);
    }

    private static void restart(World world, StopMode how) {
        world.server().postgres().stop(how);
        world.server().postgres().start();
        world.events().add("PostgreSQL is back");
    }

    /** The standby is synchronous, so it has everything that was committed. The old primary lives on for a while, and clients are not told. */
    static void promote(World world, Random random) throws Exception {
        world.events().add("a standby is made, for which PostgreSQL restarts");
        PostgresServer primary = world.server().postgres();
        PostgresServer standby =
                primary.replica(Files.createTempDirectory("baton-standby").resolve("standby"));
        world.database().execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
        world.database().execute("SELECT pg_reload_conf()");
        Wait.until(
                Wait.SOON,
                () -> world.database()
                        .one("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
                        .equals("1"));
        Wait.between(random, 500, 2000);
        standby.promote();
        world.server().failOverTo(standby);
        world.events().add("the standby is promoted; the old primary lives on");
        Wait.between(random, 0, 2000);
        // Whoever loses some of its connections goes to the new primary with those, and to the old one with the others.
        world.proxy().hangUpSome(random);
        world.events().add("some connections break");
        Wait.between(random, 0, 2000);
        primary.close();
        world.events().add("the old primary is gone");
    }

    static void readOnly(World world, Random random) throws Exception {
        withSetting(world, random, "default_transaction_read_only", "on");
    }

    static void statementTimeout(World world, Random random) throws Exception {
        withSetting(world, random, "statement_timeout", Integer.toString(2 + random.nextInt(20)));
    }

    private static void withSetting(World world, Random random, String setting, String value) throws Exception {
        world.events().add(setting + " = " + value);
        alterRole(world, "SET " + setting + " = " + value);
        Wait.between(random, 500, 2500);
        alterRole(world, "RESET " + setting);
        world.events().add(setting + " as before");
    }

    /** For the processes of Baton alone, and for sessions that begin from now on; those that are there are ended. */
    private static void alterRole(World world, String what) throws SQLException {
        TestDatabase database = world.database();
        database.execute("ALTER ROLE " + Workers.USER + " IN DATABASE " + database.name() + " " + what);
        database.one(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND usename = ?",
                Workers.USER);
    }

    static void lockTimeout(World world, Random random) throws Exception {
        List<String> tables = tables(world);
        int millis = 5 + random.nextInt(50);
        world.events().add("lock_timeout = " + millis);
        alterRole(world, "SET lock_timeout = " + millis);
        try (Connection connection = world.database().connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int i = 2 + random.nextInt(4); i > 0; i--) {
                String table = tables.get(random.nextInt(tables.size()));
                statement.execute("LOCK TABLE " + table);
                world.events().add("somebody locks " + table);
                Wait.between(random, 50, 700);
                connection.rollback();
            }
        }
        alterRole(world, "RESET lock_timeout");
        world.events().add("lock_timeout as before");
    }

    /** Everybody waits for it. */
    static void tableLocked(World world, Random random) throws Exception {
        List<String> tables = tables(world);
        try (Connection connection = world.database().connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                String table = tables.get(random.nextInt(tables.size()));
                statement.execute("LOCK TABLE " + table);
                world.events().add("somebody locks " + table);
                if (world.scenario().has(Part.CAPTURE)) {
                    writeMuchWal(world);
                }
                Wait.between(random, 200, 2500);
                connection.rollback();
            }
            world.events().add("nobody locks a table any more");
        }
    }

    /** About 20 MB of a table that nobody captures: so much that a reader of the WAL acknowledges it although nothing of it is for the reader. */
    private static void writeMuchWal(World world) throws SQLException {
        world.database().execute("CREATE TABLE IF NOT EXISTS public.neighbour (text text)");
        world.database()
                .execute(
                        "INSERT INTO public.neighbour SELECT repeat(md5(n::text), 30) FROM generate_series(1, 20000) n");
        world.events().add("a neighbour writes 20 MB");
    }

    static void noConnections(World world, Random random) throws Exception {
        List<Connection> taken = new ArrayList<>();
        try {
            world.events().add("somebody takes all connections");
            try {
                while (taken.size() < 1000) {
                    taken.add(world.database().connect());
                }
            } catch (SQLException full) {
                world.events().add("no connection is left");
            }
            world.proxy().hangUp();
            Wait.between(random, 500, 3000);
        } finally {
            for (Connection connection : taken) {
                connection.close();
            }
            world.events().add("connections are free again");
        }
    }

    static void longTransaction(World world, Random random) throws Exception {
        try (Connection connection = world.database().connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            // A key of an adopted table has one writer.
            String keys = world.scenario() == Scenario.ADOPTION ? "held-" : "key-";
            statement.execute("INSERT INTO " + world.scenario().table() + " (key, payload) SELECT '" + keys
                    + "' || n, '{}' FROM generate_series(0, 9) n");
            world.events().add("a writer's transaction stays open");
            Wait.between(random, 500, 3000);
            if (random.nextBoolean()) {
                connection.commit();
            } else {
                connection.rollback();
            }
            world.events().add("it ends");
        }
    }

    static void vacuumFull(World world, Random random) throws Exception {
        for (String table : tables(world)) {
            world.events().add("VACUUM FULL " + table);
            world.database().execute("VACUUM FULL " + table);
        }
    }

    static void ddl(World world, Random random) throws Exception {
        List<String> tables = new ArrayList<>(List.of("public.handled", "public.failing"));
        if (world.scenario().has(Part.CAPTURE)) {
            tables.add("public." + Part.ACCOUNTS);
        }
        if (world.scenario() == Scenario.ADOPTION) {
            tables.add(OldOutbox.TABLE);
        }
        for (String table : tables) {
            world.events().add("ALTER TABLE " + table);
            world.database().execute("ALTER TABLE " + table + " ADD COLUMN extra integer DEFAULT 7");
            Wait.between(random, 20, 300);
            world.database().execute("ALTER TABLE " + table + " ALTER COLUMN extra TYPE text");
            Wait.between(random, 20, 300);
            world.database().execute("ALTER TABLE " + table + " DROP COLUMN extra");
        }
    }
}
