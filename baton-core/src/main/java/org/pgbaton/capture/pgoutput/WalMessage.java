package org.pgbaton.capture.pgoutput;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.Operation;
import org.postgresql.replication.LogSequenceNumber;

/**
 * One message of {@code pgoutput}. A transaction comes in one piece when it has committed: Begin, perhaps Origin, then its changes, each
 * table's first one after a Relation (and that after the Types it needs), then Commit.
 */
public sealed interface WalMessage
        permits Relation,
                WalMessage.Begin,
                WalMessage.Commit,
                WalMessage.Origin,
                WalMessage.Type,
                WalMessage.RowChange,
                WalMessage.Truncate,
                WalMessage.Emitted {
    /** @param finalLsn where the transaction's commit stands: greater than that of every transaction that came before */
    record Begin(LogSequenceNumber finalLsn, Instant committedAt, long xid) implements WalMessage {}

    /** @param endLsn what to acknowledge when the transaction is done with */
    record Commit(LogSequenceNumber lsn, LogSequenceNumber endLsn, Instant committedAt) implements WalMessage {}

    /** The transaction was not made here but came by replication from elsewhere. */
    record Origin(LogSequenceNumber commitLsn, String name) implements WalMessage {}

    /** @param type of a domain with the names of its base type */
    record Type(ColumnType type) implements WalMessage {}

    /** A change of one row. */
    sealed interface RowChange extends WalMessage {
        Relation relation();

        Operation operation();

        /** The old row, as far as the replica identity gives it. */
        @Nullable
        Row before();

        @Nullable
        Row after();
    }

    record Insert(Relation relation, Row after) implements RowChange {
        @Override
        public Operation operation() {
            return Operation.INSERT;
        }

        @Override
        public @Nullable Row before() {
            return null;
        }
    }

    /**
     * @param before null: the replica identity's columns have not changed, and more than them is not given; {@link Row#isKeyOnly}: they have
     * @param after with the old value of what is unchanged, if {@code before} has it
     */
    record Update(Relation relation, @Nullable Row before, Row after) implements RowChange {
        @Override
        public Operation operation() {
            return Operation.UPDATE;
        }
    }

    record Delete(Relation relation, Row before) implements RowChange {
        @Override
        public Operation operation() {
            return Operation.DELETE;
        }

        @Override
        public @Nullable Row after() {
            return null;
        }
    }

    record Truncate(List<Relation> relations, boolean cascade, boolean restartIdentity) implements WalMessage {}

    /**
     * What somebody wrote with {@code pg_logical_emit_message}.
     *
     * @param transactional whether it belongs to the transaction that is coming in; else it stands between transactions
     * @param content the message's own bytes, read-only
     */
    record Emitted(boolean transactional, LogSequenceNumber lsn, String prefix, ByteBuffer content)
            implements WalMessage {
        public byte[] bytes() {
            byte[] copy = new byte[content.remaining()];
            content.duplicate().get(copy);
            return copy;
        }

        public String text() {
            return StandardCharsets.UTF_8.decode(content.duplicate()).toString();
        }
    }
}
