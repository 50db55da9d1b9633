package org.pgbaton.slot;

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
import org.pgbaton.database.Connector;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.pgoutput.Decoder;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.session.Failpoint;
import org.postgresql.PGConnection;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/**
 * Reads the messages of a slot, as the server sends them.
 *
 * <p>A thread of its own reads, because only a reader that waits answers the server's questions and learns of its progress. It reads a few handfuls
 * of messages ahead, and then waits until they are taken; {@link #take} gives everything that was read. The driver's automatic acknowledgement is
 * off: it would acknowledge messages that nobody has processed.
 *
 * <p>The server never ends the connection because of silence. Up to PostgreSQL 15 it does not listen while it reads over a large transaction
 * of others, and would end a reader that did answer. The server's TCP keepalives find a host that is gone, and the next leader ends a connection
 * that is still there.
 *
 * <p>Threading: one thread takes; any may close.
 */
public final class WalStream implements AutoCloseable {
    private static final int MOST_MESSAGES = 1000;
    private static final int MOST_BYTES = 1 << 20;
    private static final int HANDFULS = 4;

    /**
     * The driver sends what was acknowledged at most this often, and only when it has received something. A server that has nothing to send
     * gets it later, and keeps no additional WAL meanwhile.
     */
    private static final int STATUS_MILLIS = 1000;

    private final Connection connection;
    private final PGReplicationStream stream;
    /** Messages that were read and not taken; also the lock of the two numbers that follow. */
    private final List<ByteBuffer> waiting = new ArrayList<>();

    private long waitingBytes;
    private long handfuls;
    private final Thread reader;
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    /** Handfuls that the thread has begun to read, and those that were taken: equal when nothing is on its way. */
    private final AtomicLong begun = new AtomicLong();

    private long taken;

    private WalStream(Connection connection, PGReplicationStream stream, String name) {
        this.connection = connection;
        this.stream = stream;
        this.reader = new Thread(this::read, name);
        reader.setDaemon(true);
    }

    /**
     * @param lease after which a host that is gone should be noticed
     * @param who this process, as others see it
     */
    public static WalStream open(Connector replication, CapturePlan plan, Duration lease, String who)
            throws SQLException {
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

    /** The beginning of the application_name of this capture's readers. */
    static String readerName(CapturePlan plan) {
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
            failure = ended; // an Error too: a change may be too large for the heap
            synchronized (waiting) {
                waiting.notifyAll();
            }
        }
    }

    /** Adds this message and those that were received together with it. */
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

    /** All messages since the last call, or null if none came in time. With this call the messages of the last one count as processed. */
    public @Nullable List<ByteBuffer> take(Duration atMost) throws InterruptedException {
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
     * How far the server has read for us, if everything that it sent was taken; 0 otherwise. Transactions come whole and in the order of their
     * commits. So everything that committed before that place was taken.
     */
    public long passed() {
        // In this order: a message that comes in between must not be passed.
        long place = stream.getLastReceiveLSN().asLong();
        return begun.get() == taken && failure == null ? place : 0;
    }

    /** How far the server has read for us, whether it was taken or not. */
    public long received() {
        return stream.getLastReceiveLSN().asLong();
    }

    /** Lets the server forget everything before that place. It is told within a second, if there is traffic. */
    public void acknowledge(long lsn) {
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
            // It is closed, as intended.
        }
        reader.interrupt();
    }
}
