package org.pgbaton.kafka;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** A record that is not published yet. */
final class PendingRecord {
    final String message;
    final ProducerRecord<byte[], byte[]> record;
    final CompletableFuture<Void> published = new CompletableFuture<>();
    final long since;

    /** Why no producer has it yet. */
    volatile @Nullable Throwable lastTrouble;

    private volatile @Nullable Thread handing;

    // Only by the thread that hands it over.
    private @Nullable Throwable refusal;

    /** @param message names the message in errors */
    PendingRecord(String message, ProducerRecord<byte[], byte[]> record, long now) {
        this.message = message;
        this.record = record;
        this.since = now;
    }

    void beginHanding() {
        refusal = null;
        handing = Thread.currentThread();
    }

    /** Whether a producer's call-back comes from within its own {@code send}: then it has not taken the record. */
    boolean isBeingHanded() {
        return handing == Thread.currentThread();
    }

    void refused(@Nullable Throwable why) {
        refusal = why;
    }

    /** @return why the producer did not take it; null if it did, and what becomes of it is told to the call-back */
    @Nullable
    Throwable endHanding() {
        handing = null;
        return refusal;
    }
}
