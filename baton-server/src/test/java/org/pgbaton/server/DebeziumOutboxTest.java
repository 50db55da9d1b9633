package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * A table as Debezium's outbox router wants it moves in by the steps of docs/moving-from-debezium-outbox.md, whose SQL runs here,
 * while writers write and the connector reads.
 */
@BatonTest
class DebeziumOutboxTest {
    private static final Path PAGE = Path.of("..", "docs", "moving-from-debezium-outbox.md");
    private static final int WRITERS = 4;

    private final Map<String, List<String>> committed = new LinkedHashMap<>();
    private final Map<String, List<String>> sent = new LinkedHashMap<>();
    private final AtomicBoolean writing = new AtomicBoolean(true);
    private final AtomicBoolean connecting = new AtomicBoolean(true);

    @Test
    void everyMessageIsSentOnceAndInOrderByTheConnectorOrByBaton(TestDatabase database) throws Exception {
        List<String> steps = sqlOf(PAGE);
        database.execute("""
                CREATE TABLE outboxevent (id uuid PRIMARY KEY, aggregatetype varchar(255) NOT NULL,
                  aggregateid varchar(255) NOT NULL, type varchar(255) NOT NULL, payload jsonb)""");
        database.execute("CREATE PUBLICATION dbz_publication FOR TABLE outboxevent");
        database.execute("SELECT pg_create_logical_replication_slot('debezium', 'pgoutput')");
        ExecutorService threads = Executors.newCachedThreadPool();
        database.execute("CREATE TABLE customer_order (n int)");
        try (Connection connector = database.connect();
                Connection early = database.connect()) {
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                String key = "order-" + i;
                writers.add(threads.submit(() -> write(database, key)));
            }
            Future<?> connectorsEnd = threads.submit(() -> playConnector(connector));
            until(() -> count(sent) > 100);

            database.execute(steps.get(0));
            adopt(database, "--dry-run");
            adopt(database);
            long atSwitch = count(committed);
            until(() -> count(committed) > atSwitch + 20);
            // A transaction that has begun before the switch, and writes its message after it.
            early.setAutoCommit(false);
            early.createStatement().execute("INSERT INTO customer_order VALUES (1)");
            switchOver(database, steps.get(1));
            insert(early, "order-9", false);
            String behind = database.one("SELECT pg_current_wal_lsn()");
            until(() ->
                    database.one("SELECT count(*) FROM baton.outbox").length() > 2); // messages wait for their relay
            until(() -> database.one("SELECT confirmed_flush_lsn >= '" + behind
                            + "' FROM pg_replication_slots WHERE slot_name = 'debezium'")
                    .equals("t"));
            long byConnector = count(sent);
            try (Baton baton = database.baton();
                    var relay = baton.subscription("relay")
                            .on("outbox")
                            .react((message, delivery) -> {
                                assertThat(message.topic()).isEqualTo("outbox.event.order");
                                assertThat(message.type()).isEqualTo("OrderChanged");
                                arrived(message.key(), message.id().toString());
                            })
                            .start()) {
                assertThat(relay.name()).isEqualTo("relay");
                until(() -> count(sent) > byConnector + 100);
                writing.set(false);
                for (Future<?> each : writers) {
                    each.get();
                }
                until(() -> count(sent) >= count(committed));
            }
            connecting.set(false);
            connectorsEnd.get();
            assertThat(sent).isEqualTo(committed);
        } finally {
            writing.set(false);
            connecting.set(false);
            threads.shutdown();
            until(threads::isTerminated);
            database.execute("SELECT pg_drop_replication_slot('debezium')");
        }
    }

    /** Every second row is deleted in its own transaction, as is usual. */
    private @Nullable Void write(TestDatabase database, String key) throws Exception {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (int n = 0; writing.get(); n++) {
                insert(connection, key, n % 2 == 0);
                Thread.sleep(1); // leaves something of a slow machine to the others
            }
            return null;
        }
    }

    private void insert(Connection connection, String key, boolean andDelete) throws SQLException {
        UUID id = UUID.randomUUID();
        try (var insert = connection.prepareStatement(
                        "INSERT INTO outboxevent (id, aggregatetype, aggregateid, type, payload)"
                                + " VALUES (?, 'order', ?, 'OrderChanged', '{\"a\": 1}')");
                var delete = connection.prepareStatement("DELETE FROM outboxevent WHERE id = ?")) {
            insert.setObject(1, id);
            insert.setString(2, key);
            insert.executeUpdate();
            if (andDelete) {
                delete.setObject(1, id);
                delete.executeUpdate();
            }
        }
        connection.commit();
        add(committed, key, id.toString());
    }

    /** Reads the slot as the connector does. Of an INSERT in pgoutput the first two values that matter are id and aggregateid. */
    private @Nullable Void playConnector(Connection connection) throws SQLException {
        while (connecting.get()) {
            try (var changes = connection.createStatement();
                    ResultSet row = changes.executeQuery("""
                            SELECT encode(data, 'escape') FROM pg_logical_slot_get_binary_changes('debezium', NULL, 200,
                              'proto_version', '1', 'publication_names', 'dbz_publication') WHERE get_byte(data, 0) = ascii('I')""")) {
                while (row.next()) {
                    var values = Pattern.compile("([0-9a-f-]{36}).*?(order-\\d)", Pattern.DOTALL)
                            .matcher(row.getString(1));
                    assertThat(values.find()).isTrue();
                    arrived(values.group(2), values.group(1));
                }
            }
        }
        return null;
    }

    /** The page says to try again. */
    private static void switchOver(TestDatabase database, String transaction) {
        until(() -> {
            try (Connection connection = database.connect()) {
                connection.createStatement().execute(transaction);
                return true;
            } catch (SQLException busy) {
                assertThat(busy.getSQLState()).isEqualTo("55P03");
                return false;
            }
        });
    }

    private static void adopt(TestDatabase database, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("logs", "adopt", "outboxevent", "--pending", "NEW", "--settle", "200ms", "--yes"));
        arguments.addAll(List.of(more));
        Cli.baton(arguments.toArray(String[]::new)).on(database.url()).run().succeeds();
    }

    private static List<String> sqlOf(Path page) throws IOException {
        return Pattern.compile("(?ms)^ *```sql\\n(.*?)^ *```")
                .matcher(Files.readString(page))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private void arrived(String key, String id) {
        add(sent, key, id);
    }

    private static void add(Map<String, List<String>> map, String key, String id) {
        synchronized (map) {
            map.computeIfAbsent(key, each -> new ArrayList<>()).add(id);
        }
    }

    private static long count(Map<String, List<String>> map) {
        synchronized (map) {
            return map.values().stream().mapToLong(List::size).sum();
        }
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(Cli.PATIENCE.multipliedBy(2)).until(condition);
    }
}
