package org.pgbaton.proofs.subscription;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.Baton;
import org.pgbaton.database.BatonException;
import org.pgbaton.log.Draft;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.PGConnection;

/**
 * Writes to {@code baton.events} in every way in which readers were seen to lose rows: transactions of all lengths that end in another
 * order than they began, rollbacks, savepoints, exceptions inside PL/pgSQL, COPY, appends from Java, prepared transactions, and one that
 * sleeps with its transaction open. Few keys and many writers, so that every key is written by several at once.
 *
 * <p>Writers survive a restart of the server. Afterwards the log shows what they committed.
 */
final class Writers implements AutoCloseable {
    private static final int KEYS = 40;
    private static final String INSERT = "INSERT INTO baton.events (key, payload) VALUES (?, '{}')";

    private final TestDatabase database;
    private final Baton baton;
    private final boolean preparing;
    private final boolean shortOnly;
    private final List<Thread> threads = new ArrayList<>();
    private final LongAdder transactions = new LongAdder();
    private volatile boolean stopped;

    private Writers(TestDatabase database, boolean preparing, boolean shortOnly) {
        this.database = database;
        this.baton = database.baton("writers");
        this.preparing = preparing;
        this.shortOnly = shortOnly;
    }

    static Writers start(TestDatabase database, int number) throws SQLException {
        boolean preparing = !database.one("SHOW max_prepared_transactions").equals("0");
        return start(new Writers(database, preparing, false), number);
    }

    /** The writers whose transactions all end soon. */
    static Writers startShort(TestDatabase database, int number) {
        return start(new Writers(database, false, true), number);
    }

    private static Writers start(Writers writers, int number) {
        for (int i = 0; i < number; i++) {
            int writer = i;
            Thread thread = new Thread(() -> writers.keepWriting(writer), "writer-" + i);
            thread.setDaemon(true);
            writers.threads.add(thread);
            thread.start();
        }
        return writers;
    }

    /** Transactions that have ended, by commit or rollback. */
    long transactions() {
        return transactions.sum();
    }

    private void keepWriting(int writer) {
        Random random = new Random(writer);
        while (!stopped) {
            try (Connection connection = database.connect()) {
                finishPrepared(connection, "writer-" + writer);
                connection.setAutoCommit(false);
                while (!stopped) {
                    if (writer == 0 && !shortOnly) {
                        sleepInTransaction(connection, random);
                    } else {
                        transaction(connection, random, "writer-" + writer);
                    }
                    transactions.increment();
                    pause(random, 12);
                }
            } catch (SQLException | IOException | BatonException restarted) {
                pause(random, 100);
            }
        }
    }

    private void transaction(Connection connection, Random random, String name) throws SQLException, IOException {
        switch (shortOnly ? 1 : random.nextInt(preparing ? 9 : 8)) {
            case 0 -> insert(connection, random);
            case 1 -> {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    insert(connection, random);
                    pause(random, 30);
                }
            }
            case 2 -> {
                insert(connection, random);
                pause(random, 20);
                connection.rollback();
            }
            case 3 -> changeItsMind(connection, random);
            case 4 -> failInside(connection, random);
            case 5 -> copy(connection, random);
            case 6 -> {
                insert(connection, random);
                pause(random, 200);
            }
            case 7 -> {
                baton.log("events").append(connection, Draft.json("{}").key(key(random)));
                pause(random, 20);
            }
            default -> prepare(connection, random, name);
        }
        connection.commit();
    }

    private static void insert(Connection connection, Random random) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, key(random));
            insert.executeUpdate();
        }
    }

    private static void changeItsMind(Connection connection, Random random) throws SQLException {
        insert(connection, random);
        Savepoint savepoint = connection.setSavepoint();
        insert(connection, random);
        insert(connection, random);
        pause(random, 10);
        connection.rollback(savepoint);
        pause(random, 10);
        insert(connection, random);
    }

    private static void failInside(Connection connection, Random random) throws SQLException {
        execute(connection, """
                DO $$ BEGIN
                  BEGIN
                    INSERT INTO baton.events (key, payload) VALUES ('%s', '{}');
                    RAISE EXCEPTION 'on purpose';
                  EXCEPTION WHEN raise_exception THEN
                    INSERT INTO baton.events (key, payload) VALUES ('%s', '{}');
                  END;
                END $$""".formatted(key(random), key(random)));
        pause(random, 20);
    }

    private static void copy(Connection connection, Random random) throws SQLException, IOException {
        StringBuilder rows = new StringBuilder();
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            rows.append(key(random)).append("\t{}\n");
        }
        connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("COPY baton.events (key, payload) FROM STDIN", new java.io.StringReader(rows.toString()));
        pause(random, 10);
    }

    private static void prepare(Connection connection, Random random, String name) throws SQLException {
        execute(connection, "SET LOCAL baton.doorbell = 'off'");
        insert(connection, random);
        execute(connection, "PREPARE TRANSACTION '" + name + "'");
        pause(random, 200);
        connection.setAutoCommit(true);
        execute(connection, (random.nextInt(4) == 0 ? "ROLLBACK" : "COMMIT") + " PREPARED '" + name + "'");
        connection.setAutoCommit(false);
    }

    private void sleepInTransaction(Connection connection, Random random) throws SQLException {
        insert(connection, random);
        for (int i = 0; i < 20 && !stopped; i++) {
            pause(random, 200);
        }
        insert(connection, random);
        connection.commit();
    }

    private static String key(Random random) {
        return "key-" + random.nextInt(KEYS);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The traffic itself, not a wait for something. */
    private static void pause(Random random, int atMostMillis) {
        LockSupport.parkNanos(random.nextInt(atMostMillis * 1_000_000));
    }

    /** Ends everything that was begun; from here on the log does not change. */
    void stop() throws SQLException, InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        try (Connection connection = database.connect()) {
            finishPrepared(connection, "%");
        }
    }

    /** Ends the prepared transactions that a restart of the server interrupted. */
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
        baton.close();
    }
}
