package org.pgbaton.server;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.pgbaton.testkit.TestDatabase;

/**
 * An outbox as teams have it before they move in: a table with a status column, writers, and one relay that polls it, takes the portfolios it
 * can lock, ends its transaction, sends, and marks. And the broker that both relays send to, which remembers who sent what.
 */
final class OldOutbox implements AutoCloseable {
    private static final String TABLE = """
            CREATE TABLE outbox_event (
              id uuid PRIMARY KEY, portfolio_id uuid NOT NULL, event_type text NOT NULL, payload jsonb NOT NULL,
              status text NOT NULL DEFAULT 'PENDING', created_at timestamptz NOT NULL DEFAULT clock_timestamp())""";

    private static final String FIND_PENDING_BATCH = """
            SELECT id, portfolio_id, payload FROM outbox_event
             WHERE status = 'PENDING' AND pg_try_advisory_xact_lock(hashtext(portfolio_id::text))
             ORDER BY created_at ASC, id ASC LIMIT 50""";

    private static final String INSERT =
            "INSERT INTO outbox_event (id, portfolio_id, event_type, payload) VALUES (?, ?, 'TradeBooked', ?::jsonb)";

    /** One message as the broker has it. */
    record Sent(UUID id, String portfolio, int number, String by) {}

    private final TestDatabase database;
    private final List<Sent> sent = new ArrayList<>();
    private final Map<UUID, Integer> committed = new HashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    /** On a slow machine the writers would be faster than the old relay, and it would never be done. */
    private static final int MOST_WAITING = 1000;

    private final AtomicBoolean writing = new AtomicBoolean(true);
    private final AtomicBoolean relaying = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicLong looks = new AtomicLong();
    private final AtomicInteger longestWait = new AtomicInteger();

    OldOutbox(TestDatabase database) throws SQLException {
        this.database = database;
        database.execute(TABLE);
    }

    // ---- the broker

    void send(UUID id, String portfolio, String payload, String by) {
        int number = Integer.parseInt(payload.replaceAll("\\D", ""));
        synchronized (sent) {
            sent.add(new Sent(id, portfolio, number, by));
        }
    }

    List<Sent> sent() {
        synchronized (sent) {
            return List.copyOf(sent);
        }
    }

    long sentBy(String who) {
        return sent().stream().filter(each -> each.by().equals(who)).count();
    }

    /** What committed and what arrived, compared: nothing lost, nothing twice, every portfolio in the order of its numbers. */
    List<String> mistakes() {
        List<String> mistakes = new ArrayList<>();
        Map<UUID, Sent> seen = new HashMap<>();
        Map<String, Integer> last = new HashMap<>();
        for (Sent each : sent()) {
            Sent before = seen.put(each.id(), each);
            if (before != null) {
                mistakes.add("twice: " + before + " and " + each);
            }
            int previous = last.getOrDefault(each.portfolio(), 0);
            if (each.number() <= previous) {
                mistakes.add("after " + previous + " came " + each);
            }
            last.put(each.portfolio(), Math.max(previous, each.number()));
        }
        synchronized (committed) {
            committed.keySet().stream().filter(id -> !seen.containsKey(id)).forEach(id -> mistakes.add("lost: " + id));
            seen.keySet().stream()
                    .filter(id -> !committed.containsKey(id))
                    .forEach(id -> mistakes.add("invented: " + id));
        }
        synchronized (failures) {
            failures.forEach(failure -> mistakes.add(failure.toString()));
        }
        return mistakes;
    }

    int committed() {
        synchronized (committed) {
            return committed.size();
        }
    }

    private int waiting() {
        synchronized (sent) {
            return committed() - sent.size();
        }
    }

    /** The longest time any writer's statement took. */
    int longestWaitMillis() {
        return longestWait.get();
    }

    // ---- writers: each has portfolios of its own, so that their order is known

    void startWriter(long seed) {
        start(() -> {
            Random random = new Random(seed);
            List<UUID> portfolios = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                portfolios.add(new UUID(random.nextLong(), random.nextLong()));
            }
            Map<UUID, Integer> numbers = new HashMap<>();
            try (Connection connection = database.connect()) {
                connection.setAutoCommit(false);
                while (writing.get()) {
                    if (waiting() > MOST_WAITING) {
                        Thread.sleep(1);
                        continue;
                    }
                    write(connection, portfolios, numbers, random);
                }
            }
        });
    }

    private void write(Connection connection, List<UUID> portfolios, Map<UUID, Integer> numbers, Random random)
            throws SQLException, InterruptedException {
        Map<UUID, Integer> mine = new LinkedHashMap<>();
        Map<UUID, Integer> counted = new HashMap<>(numbers);
        for (int i = random.nextInt(3); i >= 0; i--) {
            UUID portfolio = portfolios.get(random.nextInt(portfolios.size()));
            UUID id = UUID.randomUUID();
            int number = counted.merge(portfolio, 1, Integer::sum);
            long begin = System.nanoTime();
            insert(connection, id, portfolio, number);
            longestWait.accumulateAndGet((int) ((System.nanoTime() - begin) / 1_000_000), Math::max);
            mine.put(id, number);
            Thread.sleep(random.nextInt(20) == 0 ? 30 : 1);
        }
        if (random.nextInt(8) == 0) {
            connection.rollback();
        } else {
            connection.commit();
            numbers.putAll(counted);
            synchronized (committed) {
                committed.putAll(mine);
            }
        }
    }

    static void insert(Connection connection, UUID id, UUID portfolio, int number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setObject(1, id);
            insert.setObject(2, portfolio);
            insert.setString(3, "{\"trade\": " + number + "}");
            insert.executeUpdate();
        }
    }

    void stopWriting() {
        writing.set(false);
    }

    // ---- the relay

    void startRelay() {
        if (relaying.getAndSet(true)) {
            return;
        }
        start(() -> {
            try (Connection connection = database.connect()) {
                connection.setAutoCommit(false);
                while (relaying.get()) {
                    looks.incrementAndGet();
                    for (List<Sent> portfolio : findPendingBatch(connection)) {
                        for (Sent each : portfolio) {
                            Thread.sleep(0, 300_000); // a broker's answer
                            send(each.id(), each.portfolio(), Integer.toString(each.number()), "old");
                            mark(connection, each.id());
                        }
                    }
                }
            }
        });
    }

    /** How often the old relay has looked for something to send. */
    long looks() {
        return looks.get();
    }

    void stopRelay() {
        relaying.set(false);
    }

    private static Collection<List<Sent>> findPendingBatch(Connection connection)
            throws SQLException, InterruptedException {
        Map<String, List<Sent>> byPortfolio = new LinkedHashMap<>();
        try (PreparedStatement select = connection.prepareStatement(FIND_PENDING_BATCH);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                byPortfolio
                        .computeIfAbsent(row.getString(2), portfolio -> new ArrayList<>())
                        .add(new Sent(
                                row.getObject(1, UUID.class),
                                row.getString(2),
                                Integer.parseInt(row.getString(3).replaceAll("\\D", "")),
                                "old"));
            }
        }
        connection.commit();
        if (byPortfolio.isEmpty()) {
            Thread.sleep(5);
        }
        return byPortfolio.values();
    }

    private static void mark(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE outbox_event SET status = 'SENT' WHERE id = ?")) {
            update.setObject(1, id);
            update.executeUpdate();
        }
        connection.commit();
    }

    // ----

    private interface Work {
        void run() throws Exception;
    }

    private void start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Throwable failure) {
                if (!closed.get()) {
                    synchronized (failures) {
                        failures.add(failure);
                    }
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    @Override
    public void close() {
        closed.set(true);
        writing.set(false);
        relaying.set(false);
        for (Thread thread : threads) {
            try {
                thread.join(10_000);
            } catch (InterruptedException inAHurry) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
