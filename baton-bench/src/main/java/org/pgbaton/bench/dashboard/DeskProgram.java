package org.pgbaton.bench.dashboard;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.bench.arena.PlayerLoop;
import org.pgbaton.dashboard.Dashboard;
import org.pgbaton.dashboard.http.Role;
import org.pgbaton.log.Message;
import org.pgbaton.server.http.Access;
import org.pgbaton.server.http.Site;
import org.pgbaton.server.http.WebServer;

/** The program of the JVMs of {@code baton bench dashboard}: workers, the process that serves the dashboard, and viewers. */
final class DeskProgram {
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private @Nullable Visits visits;

    private DeskProgram() {}

    public static void main(String[] arguments) throws IOException {
        DeskProgram program = new DeskProgram();
        PlayerLoop.run(program::play);
    }

    private String play(String[] words) throws Exception {
        return switch (words[0]) {
            case "crowd" -> crowd(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]));
            case "desk" -> desk(words[1]);
            case "come" -> {
                visits = Visits.begin(words[1], Integer.parseInt(words[2]));
                yield "";
            }
            case "go" -> visits == null ? "0" : visits.end();
            case "drain" -> drain(words[1], Long.parseLong(words[2]));
            default -> throw new IllegalArgumentException("unknown: " + words[0]);
        };
    }

    /** Goes on until the process ends. All keys of the first subscription fail. */
    private static String crowd(String url, int subscriptions, int parked) throws Exception {
        Baton baton = Baton.builder(url).who("workers").open();
        baton.subscription("stuck")
                .on("events")
                .attempts(1)
                .react((message, delivery) -> {
                    throw new IllegalStateException("account is frozen by order " + message.position() % 7);
                })
                .start();
        for (int i = 1; i < subscriptions; i++) {
            baton.subscription("reader-" + i)
                    .on("events")
                    .workers(1)
                    .react((message, delivery) -> {})
                    .start();
        }
        baton.transact("fill the log", connection -> insertKeys(baton, connection, parked));
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (baton.subscriptions().parked("stuck").size() < parked) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("not all keys were parked within " + PATIENCE.toSeconds() + " s");
            }
            Thread.sleep(200);
        }
        return "";
    }

    private static int insertKeys(Baton baton, Connection connection, int keys) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(baton.schema()
                .in("INSERT INTO ${schema}.events (key, payload)"
                        + " SELECT 'account-' || g, '{\"amount\": 1}' FROM generate_series(1, ?) g"))) {
            insert.setInt(1, keys);
            return insert.executeUpdate();
        }
    }

    /** As {@code baton serve} does it. Returns the port. */
    private static String desk(String url) {
        Baton baton = Baton.builder(url).who("desk").open();
        Site site = new Site("", Access.anonymous(Role.READER));
        site.mount(Dashboard.of(baton).build());
        return Integer.toString(WebServer.listen("127.0.0.1", 0, site).port());
    }

    /** Writes a row for each message of the outbox; returns rows and nanoseconds. */
    private static String drain(String url, long rows) throws Exception {
        try (Baton baton = Baton.builder(url).who("worker").open()) {
            baton.transact("make the table", connection -> {
                try (PreparedStatement make = connection.prepareStatement("CREATE TABLE IF NOT EXISTS public.drained"
                        + " (subscription text, position bigint, PRIMARY KEY (subscription, position))")) {
                    return make.executeUpdate();
                }
            });
            String name = "drain-" + System.nanoTime();
            CountDownLatch done = new CountDownLatch(1);
            AtomicLong handled = new AtomicLong();
            long begin = System.nanoTime();
            baton.subscription(name)
                    .on("outbox")
                    .projectBatches((messages, connection) -> {
                        insert(connection, name, messages);
                        if (handled.addAndGet(messages.size()) >= rows) {
                            done.countDown();
                        }
                    })
                    .start();
            if (!done.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        handled + " of " + rows + " rows within " + PATIENCE.toSeconds() + " s");
            }
            long nanos = System.nanoTime() - begin;
            return rows + "\t" + nanos;
        }
    }

    private static void insert(Connection connection, String name, List<Message> messages) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO public.drained SELECT ?, unnest(?::bigint[])")) {
            insert.setString(1, name);
            insert.setArray(
                    2,
                    connection.createArrayOf(
                            "bigint", messages.stream().map(Message::position).toArray()));
            insert.executeUpdate();
        }
    }
}
