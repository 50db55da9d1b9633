package org.pgbaton.server.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;

/**
 * Appends trades of many portfolios to the log and to the outbox, by plain INSERTs of several writers at a time. Some transactions stay open for a
 * while, some are rolled back. The trades of a portfolio are numbered, so that gaps, repetitions and disorder are found.
 */
final class Trades {
    private static final int WRITERS = 3;
    private static final int PORTFOLIOS = 300;
    private static final int MOST_AT_ONCE = 5;
    private static final int LONGEST_PAUSE_MILLIS = 20;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final DatabaseUrl url;
    private final SchemaName schema;
    private final String topic;
    private final List<Thread> writers = new ArrayList<>();
    private final AtomicLong appended = new AtomicLong();
    private volatile boolean ended;
    private volatile @Nullable SQLException failure;

    /** @param topic to which the trades are published */
    Trades(String url, String schema, String topic) {
        this.url = DatabaseUrl.parse(url);
        this.schema = new SchemaName(schema);
        this.topic = topic;
    }

    /** Creates the tables that the workers need. */
    void prepare() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(TradesSql.TABLES);
        }
    }

    void start() {
        for (int i = 0; i < WRITERS; i++) {
            int number = i;
            Thread writer = new Thread(() -> write(number), "writer-" + number);
            writer.setDaemon(true);
            writer.start();
            writers.add(writer);
        }
    }

    boolean areRunning() {
        return !writers.isEmpty();
    }

    private void write(int writer) {
        Random random = new Random();
        long[] last = new long[PORTFOLIOS];
        try (Connection connection = connect();
                PreparedStatement append = connection.prepareStatement(schema.in(TradesSql.APPEND))) {
            connection.setAutoCommit(false);
            while (!ended) {
                append(writer, random, last, append);
                Thread.sleep(random.nextInt(LONGEST_PAUSE_MILLIS));
            }
        } catch (SQLException trouble) {
            failure = trouble;
        } catch (InterruptedException impossible) {
            Thread.currentThread().interrupt();
        }
    }

    /** Appends in one transaction. A portfolio belongs to one writer, so that its numbers are in the order of commits. */
    private void append(int writer, Random random, long[] last, PreparedStatement append)
            throws SQLException, InterruptedException {
        long[] next = last.clone();
        int trades = 1 + random.nextInt(MOST_AT_ONCE);
        for (int i = 0; i < trades; i++) {
            int portfolio = random.nextInt(PORTFOLIOS / WRITERS) * WRITERS + writer;
            append.setString(1, String.format(Locale.ROOT, "P%03d", portfolio));
            append.setLong(2, ++next[portfolio]);
            append.setLong(3, random.nextInt(2001) - 1000);
            append.setString(4, topic);
            append.executeUpdate();
        }
        if (random.nextInt(10) == 0) {
            Thread.sleep(random.nextInt(LONGEST_PAUSE_MILLIS)); // others commit higher positions meanwhile
        }
        if (random.nextInt(50) == 0) {
            append.getConnection().rollback();
        } else {
            append.getConnection().commit();
            System.arraycopy(next, 0, last, 0, last.length);
            appended.addAndGet(trades);
        }
    }

    /** Ends the writers and waits for them. */
    void stop() throws InterruptedException {
        ended = true;
        for (Thread writer : writers) {
            writer.join();
        }
    }

    /** How many trades were over the limit. */
    long alerts() throws SQLException {
        return number(TradesSql.ALERTS);
    }

    /** How many lanes that worker owns. */
    int lanesOf(String worker) throws SQLException {
        return (int) number(TradesSql.LANES_OF, worker);
    }

    /** Waits until each of these workers owns a lane. */
    void awaitOwners(List<String> workers) throws SQLException, InterruptedException, TimeoutException {
        String[] names = workers.toArray(String[]::new);
        await("not every worker got a lane", () -> number(TradesSql.OWNERS, (Object) names) == names.length);
    }

    /** Waits until others have taken all lanes of that worker. */
    void awaitTakeover(String worker) throws SQLException, InterruptedException, TimeoutException {
        try (Connection connection = connect()) {
            await("nobody took all lanes of " + worker, () -> number(connection, TradesSql.LANES_OF, worker) == 0);
        }
    }

    /**
     * The result of the demo.
     *
     * @param killed how many trades were handled by workers that were killed later
     * @param violations in words; empty if every balance is right and every trade was handled once and in order
     */
    record Result(long portfolios, long trades, long handled, long killed, List<String> violations) {}

    /** To be called after the writers have ended. Waits until every trade was handled and published, and compares with the log. */
    Result settle(List<String> killedWorkers, DemoTarget target) throws SQLException, InterruptedException {
        List<String> violations = new ArrayList<>();
        SQLException trouble = failure;
        if (trouble != null) {
            violations.add("a writer failed: " + trouble.getMessage());
        }
        try {
            await("not every trade was handled", () -> number(TradesSql.HANDLED_SO_FAR) >= appended.get());
            await("not every trade was published", () -> target.arrivals().first() >= appended.get());
        } catch (TimeoutException late) {
            violations.add(String.valueOf(late.getMessage()));
        }
        violations.addAll(target.arrivals().violations(appended.get(), target.isExactlyOnce()));
        return compare(appended.get(), killedWorkers, violations);
    }

    Result compare(long expected, List<String> killedWorkers, List<String> violations) throws SQLException {
        try (Connection connection = connect()) {
            List<Long> check = numbers(connection, TradesSql.CHECK);
            List<Long> who = numbers(connection, TradesSql.WHO, (Object) killedWorkers.toArray(String[]::new));
            note(violations, expected - check.get(1), "trades are missing in the log");
            note(violations, check.get(1) - who.get(1), "trades were not handled");
            note(violations, who.get(0) - who.get(1), "trades were handled twice");
            note(violations, check.get(2), "balances are wrong");
            note(violations, check.get(3), "trades came out of order");
            return new Result(check.get(0), check.get(1), who.get(1), who.get(2), violations);
        }
    }

    private static void note(List<String> violations, long count, String what) {
        if (count != 0) {
            violations.add(count + " " + what);
        }
    }

    @FunctionalInterface
    interface Condition {
        boolean holds() throws SQLException;
    }

    static void await(String otherwise, Condition condition)
            throws SQLException, InterruptedException, TimeoutException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new TimeoutException(
                        otherwise + " within " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
            }
            Thread.sleep(1);
        }
    }

    private long number(String sql, Object... parameters) throws SQLException {
        try (Connection connection = connect()) {
            return number(connection, sql, parameters);
        }
    }

    private long number(Connection connection, String sql, Object... parameters) throws SQLException {
        return numbers(connection, sql, parameters).get(0);
    }

    private List<Long> numbers(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(schema.in(sql))) {
            for (int i = 0; i < parameters.length; i++) {
                select.setObject(i + 1, parameters[i]);
            }
            try (ResultSet row = select.executeQuery()) {
                row.next();
                List<Long> numbers = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    numbers.add(row.getLong(i));
                }
                return numbers;
            }
        }
    }

    private Connection connect() throws SQLException {
        return url.connector().connect();
    }
}
