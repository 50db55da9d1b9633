package org.pgbaton.bench.log;

import java.io.IOException;
import java.io.OutputStream;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.bench.arena.CpuTime;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.postgresql.PGConnection;

/**
 * Reads the log from one end to the other: with Baton, and in the fastest possible ways. Each method returns rows, nanoseconds, and
 * CPU nanoseconds of PostgreSQL and of this process.
 */
final class Reading {
    private static final long PATIENCE_SECONDS = 170;

    private Reading() {}

    static String copy(String url) throws SQLException, IOException {
        try (Connection connection = DriverManager.getConnection(url)) {
            Clocks begin = Clocks.now();
            long rows = connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyOut("COPY baton.events TO STDOUT", OutputStream.nullOutputStream());
            return rows + "\t" + Clocks.now().since(begin);
        }
    }

    static String cursor(String url, int fetch) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.setFetchSize(fetch);
            Clocks begin = Clocks.now();
            long count = 0;
            long bytes = 0;
            try (ResultSet rows = statement.executeQuery(
                    "SELECT position, recorded_at, version, id, lane, key, topic, type, headers, payload, data FROM baton.events")) {
                while (rows.next()) {
                    count++;
                    bytes += rows.getLong(1)
                            + rows.getBytes(10).length
                            + rows.getString(6).length();
                }
            }
            Clocks end = Clocks.now();
            if (bytes == 0) {
                throw new IllegalStateException("the log is empty");
            }
            return count + "\t" + end.since(begin);
        }
    }

    /**
     * A handler that does nothing, from after a position on, for so many rows.
     *
     * @param batch 0 for the default, as for {@code workers}
     */
    static String drain(String url, int batch, int workers, long after, long rows) throws Exception {
        try (Baton baton = Baton.open(url)) {
            Progress progress = new Progress(rows);
            return progress.await(tuned(
                    newOne(baton, after).reactToBatches((messages, delivery) -> progress.handled(messages.size())),
                    batch,
                    workers));
        }
    }

    private static SubscriptionBuilder tuned(SubscriptionBuilder builder, int batch, int workers) {
        SubscriptionBuilder tuned = batch == 0 ? builder : builder.batch(batch);
        return workers == 0 ? tuned : tuned.workers(workers);
    }

    /** A handler that writes each batch with one statement: {@code insert} copies rows, {@code upsert} counts for each key. */
    static String project(String url, String kind, int batch, int workers, long rows) throws Exception {
        boolean upsert = kind.equals("upsert");
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS public.projection");
            statement.execute(
                    upsert
                            ? "CREATE TABLE public.projection (key text PRIMARY KEY, messages bigint NOT NULL, last bigint NOT NULL) "
                                    + "WITH (fillfactor = 50)"
                            : "CREATE TABLE public.projection (position bigint PRIMARY KEY, key text NOT NULL, text text NOT NULL)");
        }
        try (Baton baton = Baton.open(url)) {
            Progress progress = new Progress(rows);
            return progress.await(tuned(
                    newOne(baton, 0).projectBatches((messages, connection) -> {
                        if (upsert) {
                            upsert(connection, messages);
                        } else {
                            insert(connection, messages);
                        }
                        progress.handled(messages.size());
                    }),
                    batch,
                    workers));
        }
    }

    private static SubscriptionBuilder newOne(Baton baton, long after) {
        return baton.subscription("reader-" + System.nanoTime()).on("events").from(Start.after(after));
    }

    private static void insert(Connection connection, List<Message> messages) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO public.projection SELECT * FROM unnest(?::bigint[], ?::text[], ?::text[])")) {
            insert.setArray(1, positions(connection, messages));
            insert.setArray(2, keys(connection, messages));
            insert.setArray(
                    3,
                    connection.createArrayOf(
                            "text", messages.stream().map(Message::text).toArray()));
            insert.executeUpdate();
        }
    }

    private static void upsert(Connection connection, List<Message> messages) throws SQLException {
        try (PreparedStatement upsert = connection.prepareStatement("INSERT INTO public.projection AS p"
                + " SELECT key, count(*), max(position) FROM unnest(?::bigint[], ?::text[]) AS m (position, key) GROUP BY key"
                + " ON CONFLICT (key) DO UPDATE SET messages = p.messages + excluded.messages, last = excluded.last")) {
            upsert.setArray(1, positions(connection, messages));
            upsert.setArray(2, keys(connection, messages));
            upsert.executeUpdate();
        }
    }

    private static Array positions(Connection connection, List<Message> messages) throws SQLException {
        return connection.createArrayOf(
                "int8", messages.stream().map(Message::position).toArray());
    }

    private static Array keys(Connection connection, List<Message> messages) throws SQLException {
        return connection.createArrayOf(
                "text", messages.stream().map(Message::key).toArray());
    }

    /** Time, and CPU time of PostgreSQL and of this process, all in nanoseconds. */
    private record Clocks(long time, long server, long own) {
        static Clocks now() {
            return new Clocks(System.nanoTime(), CpuTime.ofServer(), CpuTime.ofThisProcess());
        }

        String since(Clocks begin) {
            return (time - begin.time) + "\t" + (server - begin.server) + "\t" + (own - begin.own);
        }
    }

    /** Measures the time from the first call of the handler to the last; neither joining nor the first batch counts. */
    private static final class Progress {
        private final long rows;
        private final AtomicLong handled = new AtomicLong();
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile long first;
        private volatile @Nullable Clocks begin;
        private volatile @Nullable Clocks end;

        Progress(long rows) {
            this.rows = rows;
        }

        void handled(int batch) {
            long now = handled.addAndGet(batch);
            if (now == batch) {
                first = batch;
                begin = Clocks.now();
            }
            if (now >= rows && now - batch < rows) {
                end = Clocks.now();
                done.countDown();
            }
        }

        String await(SubscriptionBuilder builder) throws InterruptedException {
            try (Subscription subscription = builder.start()) {
                if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("handled only " + handled.get() + " of " + rows + " rows in "
                            + PATIENCE_SECONDS + " s: " + subscription.health());
                }
                return (rows - first) + "\t" + Objects.requireNonNull(end).since(Objects.requireNonNull(begin));
            }
        }
    }
}
