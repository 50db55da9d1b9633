package org.pgbaton.chaos.traffic;

import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.chaos.world.OldOutbox;
import org.pgbaton.chaos.world.Scenario;
import org.pgbaton.chaos.world.World;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.PGConnection;

/**
 * Writers of the log {@code events}, or of a table that is to be adopted, straight to PostgreSQL: transactions that end in another order than they began, roll back, change
 * their mind at a savepoint, COPY, or are prepared. They survive a restart of the server; what they committed is what the log says.
 */
public final class Traffic implements AutoCloseable {
    public static final int KEYS = 40;
    private static final int WRITERS = 4;

    private final TestDatabase database;
    private final boolean changesAccounts;
    private final Scenario scenario;
    private final long seed;
    private final List<Thread> threads = new ArrayList<>();
    /** How many rows a writer copies at once, at most. */
    private final int mostCopied;

    private volatile boolean stopped;
    private volatile boolean held;

    private Traffic(World world, long seed, int mostCopied) {
        this.mostCopied = mostCopied;
        this.database = world.database();
        this.changesAccounts = world.scenario().has(Part.CAPTURE);
        this.scenario = world.scenario();
        this.seed = seed;
    }

    public static Traffic start(World world, long seed) {
        return start(world, seed, 5);
    }

    /** For a round with many messages. */
    public static Traffic startMuch(World world, long seed) {
        return start(world, seed, 100);
    }

    private static Traffic start(World world, long seed, int mostCopied) {
        Traffic traffic = new Traffic(world, seed, mostCopied);
        for (int i = 0; i < WRITERS; i++) {
            int writer = i;
            Thread thread = new Thread(() -> traffic.keepWriting(writer), "chaos-writer-" + i);
            thread.setDaemon(true);
            traffic.threads.add(thread);
            thread.start();
        }
        return traffic;
    }

    private void keepWriting(int writer) {
        Random random = new Random(seed + writer);
        String prepared = "chaos-" + database.name() + "-" + writer;
        while (!stopped) {
            try (Connection connection = database.connect()) {
                finishPrepared(connection, prepared);
                connection.setAutoCommit(false);
                while (!stopped) {
                    if (held) {
                        pause(random, 50);
                        continue;
                    }
                    if (changesAccounts) {
                        changeAccounts(connection, random);
                    }
                    transaction(connection, random, writer, prepared);
                    pause(random, 15);
                }
            } catch (SQLException | IOException restarted) {
                pause(random, 100);
            }
        }
    }

    private void transaction(Connection connection, Random random, int writer, String prepared)
            throws SQLException, IOException {
        switch (random.nextInt(7)) {
            case 0, 1 -> insert(connection, random, writer);
            case 2 -> insertSlowly(connection, random, writer);
            case 3 -> {
                insert(connection, random, writer);
                pause(random, 20);
                connection.rollback();
            }
            case 4 -> {
                insert(connection, random, writer);
                Savepoint savepoint = connection.setSavepoint();
                insert(connection, random, writer);
                connection.rollback(savepoint);
                insert(connection, random, writer);
            }
            case 5 -> copy(connection, random, writer);
            default -> prepare(connection, random, writer, prepared);
        }
        connection.commit();
    }

    private void insertSlowly(Connection connection, Random random, int writer) throws SQLException {
        for (int i = random.nextInt(4); i >= 0; i--) {
            insert(connection, random, writer);
            pause(random, 30);
        }
    }

    private void copy(Connection connection, Random random, int writer) throws SQLException, IOException {
        StringBuilder rows = new StringBuilder();
        for (int i = 1 + random.nextInt(mostCopied); i > 0; i--) {
            rows.append(key(random, writer)).append("\t{}\n");
        }
        connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("COPY " + table(writer) + " (key, payload) FROM STDIN", new StringReader(rows.toString()));
    }

    /** In two phases. */
    private void prepare(Connection connection, Random random, int writer, String name) throws SQLException {
        execute(connection, "SET LOCAL baton.doorbell = 'off'");
        insert(connection, random, writer);
        execute(connection, "PREPARE TRANSACTION '" + name + "'");
        pause(random, 100);
        connection.setAutoCommit(true);
        execute(connection, (random.nextInt(4) == 0 ? "ROLLBACK" : "COMMIT") + " PREPARED '" + name + "'");
        connection.setAutoCommit(false);
    }

    /** Several of them in one transaction, in the order of their keys, so that writers do not wait for each other in a circle. */
    private static void changeAccounts(Connection connection, Random random) throws SQLException {
        try (PreparedStatement change = connection.prepareStatement("""
                INSERT INTO public.account VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET version = account.version + 1""")) {
            int first = random.nextInt(KEYS);
            for (int i = random.nextInt(3); i >= 0; i--) {
                change.setString(1, String.format(Locale.ROOT, "account-%02d", Math.min(KEYS - 1, first + 2 - i)));
                change.executeUpdate();
            }
        }
        if (random.nextInt(5) == 0) {
            connection.rollback();
        } else {
            connection.commit();
        }
    }

    private void insert(Connection connection, Random random, int writer) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO " + table(writer) + " (key, payload) VALUES (?, '{}')")) {
            insert.setString(1, key(random, writer));
            insert.executeUpdate();
        }
    }

    private boolean writesToTheLog(int writer) {
        return scenario != Scenario.ADOPTION || writer == WRITERS - 1;
    }

    private String table(int writer) {
        return writesToTheLog(writer) ? "baton." + scenario.log() : scenario.table();
    }

    private String key(Random random, int writer) {
        if (scenario != Scenario.ADOPTION) {
            return "key-" + random.nextInt(KEYS);
        }
        return (writesToTheLog(writer) ? OldOutbox.DIRECT : "key-")
                + (writer + WRITERS * random.nextInt(KEYS / WRITERS));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void pause(Random random, int atMostMillis) {
        LockSupport.parkNanos(random.nextInt(atMostMillis * 1_000_000));
    }

    /** Holds writers up, or lets them go on. Transactions that have begun are ended. */
    void hold(boolean now) {
        held = now;
    }

    /** Ends all transactions. Afterwards the log does not change any more. */
    public void stop() throws SQLException, InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        try (Connection connection = database.connect()) {
            finishPrepared(connection, "chaos-" + database.name() + "-%");
        }
    }

    private static void finishPrepared(Connection connection, String nameLike) throws SQLException {
        List<String> left = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT gid FROM pg_prepared_xacts WHERE database = current_database() AND gid LIKE ?")) {
            select.setString(1, nameLike);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    left.add(row.getString(1));
                }
            }
        }
        for (String name : left) {
            execute(connection, "COMMIT PREPARED '" + name + "'");
        }
    }

    @Override
    public void close() {
        stopped = true;
    }
}
