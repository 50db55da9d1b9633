package org.pgbaton.capture;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.pgoutput.Decoder;
import org.pgbaton.database.Connector;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.session.Failpoint;
import org.postgresql.PGConnection;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/**
 * The messages of a slot, in handfuls, as the server sends them.
 *
 * <p>A thread of its own reads them, because only a reader that waits answers the server's questions and hears of its progress. It reads a
 * few handfuls ahead, then it waits too; whoever takes gets everything that was read. It acknowledges nothing by itself: the driver would
 * acknowledge what nobody has processed.
 *
 * <p>The server never ends the connection because of silence: up to PostgreSQL 15 it reads over a large transaction of others without
 * listening, and would end a reader that answers. A host that is gone is found by the server's keepalives, and whoever leads next ends a
 * connection that is still there.
 *
 * <p>Threading: one thread takes; any may close.
 */
final class WalStream implements AutoCloseable {
    private static final int MOST_MESSAGES = 1000;
    private static final int MOST_BYTES = 1 << 20;
    private static final int HANDFULS = 4;

    /**
     * How often the server is told what is flushed, at most. The driver does so when it has received something: a server that has nothing
     * to send hears it with the next thing that happens, and keeps no WAL for it meanwhile.
     */
    private static final int STATUS_MILLIS = 1000;

    private final Connection connection;
    private final PGReplicationStream stream;
    /** What was read and not taken; also the lock of the two numbers that follow. */
    private final List<ByteBuffer> waiting = new ArrayList<>();

    private long waitingBytes;
    private long handfuls;
    private final Thread reader;
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    /** Handfuls that the reader has begun, and those that were taken and dealt with: equal when nothing is between the two. */
    private final AtomicLong begun = new AtomicLong();

    private long taken;

    private WalStream(Connection connection, PGReplicationStream stream, String name) {
        this.connection = connection;
        this.stream = stream;
        this.reader = new Thread(this::read, name);
        reader.setDaemon(true);
    }

    static WalStream open(Connector replication, Plan plan, Duration lease, String who) throws SQLException {
        Connection connection = replication.connect();
        try {
            try (Statement settings = connection.createStatement()) {
                for (String setting : Decoder.SETTINGS) {
                    settings.execute(setting);
                }
                settings.execute("SET wal_sender_timeout = 0");
                settings.execute("SET tcp_keepalives_idle = " + Math.max(1, lease.toSeconds() / 2));
                settings.execute("SET tcp_keepalives_interval = " + Math.max(1, lease.toSeconds() / 6));
                settings.execute("SET tcp_keepalives_count = 3");
                settings.execute("SET application_name = '" + readerName(plan) + who.replace("'", "''") + "'");
            }
            String publication = '"' + plan.publication().replace("\"", "\"\"") + '"';
            PGReplicationStream stream = connection
                    .unwrap(PGConnection.class)
                    .getReplicationAPI()
                    .replicationStream()
                    .logical()
                    .withSlotName(plan.slot())
                    .withSlotOption("proto_version", "1")
                    .withSlotOption("publication_names", publication.replace("'", "''"))
                    .withSlotOption("messages", "true")
                    .withStatusInterval(STATUS_MILLIS, TimeUnit.MILLISECONDS)
                    .withAutomaticFlush(false)
                    .start();
            WalStream opened = new WalStream(connection, stream, "baton-" + plan.name() + "-wal");
            opened.reader.start();
            return opened;
        } catch (SQLException | RuntimeException refused) {
            connection.abort(Runnable::run);
            throw refused;
        }
    }

    /** How a reader of this capture calls itself, up to who it is. */
    static String readerName(Plan plan) {
        return "baton capture " + plan.name() + " ";
    }

    private void read() {
        try {
            while (!closed) {
                ByteBuffer first = stream.read();
                begun.incrementAndGet();
                put(first);
            }
        } catch (SQLException | InterruptedException | RuntimeException | Error ended) {
            failure = ended; // also an error: a change may be too large for the heap
            synchronized (waiting) {
                waiting.notifyAll();
            }
        }
    }

    /** With what has come along with it. */
    private void put(ByteBuffer first) throws SQLException, InterruptedException {
        List<ByteBuffer> messages = new ArrayList<>();
        int bytes = 0;
        for (ByteBuffer next = first; next != null; next = stream.readPending()) {
            messages.add(next);
            bytes += next.remaining();
            if (messages.size() >= MOST_MESSAGES || bytes >= MOST_BYTES) {
                break;
            }
        }
        synchronized (waiting) {
            while (waiting.size() >= HANDFULS * MOST_MESSAGES || waitingBytes >= HANDFULS * MOST_BYTES) {
                waiting.wait();
            }
            waiting.addAll(messages);
            waitingBytes += bytes;
            handfuls++;
            waiting.notifyAll();
        }
    }

    /** Everything that has come since the last time, or null if nothing came in time. What was taken before is dealt with. */
    @Nullable
    List<ByteBuffer> take(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        synchronized (waiting) {
            while (waiting.isEmpty()) {
                if (failure != null) {
                    throw failed();
                }
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    return null;
                }
                waiting.wait(left);
            }
            List<ByteBuffer> messages = new ArrayList<>(waiting);
            waiting.clear();
            waitingBytes = 0;
            taken += handfuls;
            handfuls = 0;
            waiting.notifyAll();
            return messages;
        }
    }

    private DatabaseException failed() {
        Throwable cause = failure;
        if (cause instanceof OutOfMemoryError) {
            return DatabaseException.of(
                    "read the WAL",
                    new SQLException(
                            "a change is too large for the memory of this process, or something else has taken it: give it more (-Xmx)",
                            "53200",
                            cause));
        }
        SQLException sql = cause instanceof SQLException its
                ? its
                : new SQLException("the stream ended (" + cause + ")", "08006", cause);
        return DatabaseException.of("read the WAL", sql);
    }

    /**
     * How far the server has read for us, if everything it sent up to there was taken; 0 otherwise. Transactions come in the order of
     * their commits, and each whole: so whatever committed before that place has been taken.
     */
    long passed() {
        // This order: the place first, then whether anything was on its way.
        long place = stream.getLastReceiveLSN().asLong();
        return begun.get() == taken && failure == null ? place : 0;
    }

    /** How far the server has read for us, whether we have taken it or not. */
    long received() {
        return stream.getLastReceiveLSN().asLong();
    }

    /** From now on the server may forget what is before that place. Told within a second, if there is traffic. */
    void acknowledge(long lsn) {
        LogSequenceNumber place = LogSequenceNumber.valueOf(lsn);
        Failpoint.BEFORE_ACKNOWLEDGE.pass();
        stream.setAppliedLSN(place);
        stream.setFlushedLSN(place);
        Failpoint.AFTER_ACKNOWLEDGE.pass();
    }

    @Override
    public void close() {
        closed = true;
        try {
            connection.abort(Runnable::run);
        } catch (SQLException gone) {
            // That is what we wanted.
        }
        reader.interrupt();
    }
}
