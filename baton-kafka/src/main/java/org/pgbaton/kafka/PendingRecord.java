package org.pgbaton.kafka;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.log.Message;

/** A record that is not published yet. Belongs to one thread at a time: the one that hands it over, then the producer's. */
final class PendingRecord {
    /** Who wants to know what became of a record that a producer has taken. */
    interface Answers {
        /** @param failure null if Kafka has it */
        void answered(PendingRecord record, @Nullable Exception failure);
    }

    final MessageGroup group;
    final Message message;
    /** In bytes, as part of a batch, and rather too many than too few. */
    final int size;
    /** Whether it shares no batch with others, because one that it was in was refused. */
    boolean alone;

    private ProducerRecord<byte[], byte[]> record;

    PendingRecord(MessageGroup group, Message message, ProducerRecord<byte[], byte[]> record) {
        this.group = group;
        this.message = message;
        this.record = record;
        this.size = Records.sizeInBatch(record);
    }

    ProducerRecord<byte[], byte[]> record() {
        return record;
    }

    /** From now on it is for this partition. */
    void goTo(int partition) {
        record = new ProducerRecord<>(record.topic(), partition, record.key(), record.value(), record.headers());
    }

    /**
     * Hands it to a producer.
     *
     * @return why the producer did not take it; null if it did, and what becomes of it is told to the other
     */
    @Nullable
    Exception hand(Producer<byte[], byte[]> to, Answers toTell) {
        return new Attempt(toTell).at(to);
    }

    /**
     * One call of a producer. It ends in one of two ways, whatever the producer does: refused, or answered. A producer may throw although it
     * has taken the record, and its thread may answer before the call returns.
     */
    private final class Attempt implements Callback {
        private enum State {
            HANDING,
            REFUSED,
            ANSWERED
        }

        private final Answers answers;
        private final Thread caller = Thread.currentThread();
        private final AtomicReference<State> state = new AtomicReference<>(State.HANDING);
        private boolean returned;
        private @Nullable Exception refusal;

        private Attempt(Answers answers) {
            this.answers = answers;
        }

        @Nullable
        @SuppressWarnings("FutureReturnValueIgnored") // the call-back is told the same
        private Exception at(Producer<byte[], byte[]> producer) {
            try {
                producer.send(record, this);
            } catch (RuntimeException thrown) {
                refusal = thrown;
            }
            returned = true;
            Exception why = refusal;
            return why != null && state.compareAndSet(State.HANDING, State.REFUSED) ? why : null;
        }

        @Override
        public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception failure) {
            if (Thread.currentThread() == caller && !returned) {
                refusal = failure; // from within the producer's own 'send': it has not taken the record
            } else if (state.compareAndSet(State.HANDING, State.ANSWERED)) {
                answers.answered(PendingRecord.this, failure);
            }
        }
    }
}
