package org.pgbaton.kafka;

import java.time.Duration;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.Clients;

/**
 * The producer of a publisher: opened when it is needed, and replaced when it cannot be used any more. First the old one is closed, then
 * another is opened, so that nothing of the old one arrives after what the new one sends.
 *
 * <p>Thread-safe. {@link #open} and {@link #close} wait, and belong to the publisher's own thread.
 */
final class CurrentProducer {
    private static final Duration REOPEN = Duration.ofMillis(500);
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final Supplier<? extends Producer<byte[], byte[]>> opener;

    private volatile @Nullable Producer<byte[], byte[]> producer;
    private volatile @Nullable Metric takenApart;
    private volatile @Nullable Throwable trouble;

    // Only the publisher's own thread.
    private long openAgainAt = System.nanoTime();

    // Guarded by this.
    private @Nullable Producer<byte[], byte[]> replaced;

    CurrentProducer(Supplier<? extends Producer<byte[], byte[]>> opener) {
        this.opener = opener;
    }

    /** Null while there is none. */
    @Nullable
    Producer<byte[], byte[]> get() {
        return producer;
    }

    /** Counts the batches that it takes apart, because a broker finds them too large; null if it does not count. */
    @Nullable
    Metric takenApart() {
        return takenApart;
    }

    /** Why the last one could not be opened; null if it could. */
    @Nullable
    Throwable trouble() {
        return trouble;
    }

    /** Opens one if there is none, and the last failure was a while ago. */
    void open() {
        closeReplaced();
        if (producer == null && System.nanoTime() - openAgainAt >= 0) {
            try {
                Producer<byte[], byte[]> opened = opener.get();
                takenApart = Clients.batchesTakenApart(opened);
                trouble = null;
                producer = opened;
            } catch (RuntimeException refused) {
                trouble = refused;
                openAgainAt = System.nanoTime() + REOPEN.toNanos();
            }
        }
    }

    /** It cannot be used any more, and is closed later. */
    synchronized void replace(Producer<byte[], byte[]> broken) {
        if (producer == broken) {
            producer = null;
            replaced = broken;
        }
    }

    /** The same, on the producer's own thread: it sends nothing any more when this returns. */
    void closeAtOnce(Producer<byte[], byte[]> broken) {
        synchronized (this) {
            if (producer == broken) {
                producer = null;
            }
        }
        Clients.close(broken, Duration.ZERO);
    }

    void closeReplaced() {
        Producer<byte[], byte[]> broken;
        synchronized (this) {
            broken = replaced;
            replaced = null;
        }
        if (broken != null) {
            Clients.close(broken, CLOSING);
        }
    }

    /** Records in flight get a few seconds. */
    void close() {
        closeReplaced();
        Producer<byte[], byte[]> last = producer;
        producer = null;
        if (last != null) {
            Clients.close(last, CLOSING);
        }
    }
}
