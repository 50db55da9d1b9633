package org.pgbaton.pgoutput;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.replication.LogSequenceNumber;

/**
 * One message of {@code pgoutput}. The server sends a transaction as a whole, after it has committed: Begin, perhaps Origin, the changes, Commit.
 * Before the first change of a table comes its Description, and before that the Types that it needs.
 */
public sealed interface WalMessage
        permits WalMessage.Begin,
                WalMessage.Commit,
                WalMessage.Description,
                WalMessage.Origin,
                WalMessage.Type,
                WalMessage.RowChange,
                WalMessage.Truncate,
                WalMessage.Emitted {
    /** @param finalLsn where in the WAL the transaction committed: greater than in every transaction before */
    record Begin(LogSequenceNumber finalLsn, Instant committedAt, long xid) implements WalMessage {}

    /** @param endLsn the place to acknowledge when the transaction was processed */
    record Commit(LogSequenceNumber lsn, LogSequenceNumber endLsn, Instant committedAt) implements WalMessage {}

    /** The transaction came by replication from another server. */
    record Origin(LogSequenceNumber commitLsn, String name) implements WalMessage {}

    /** The columns of a table at the time of the changes that follow. */
    record Description(Relation relation) implements WalMessage {}

    /** @param type for a domain, with schema and name of its base type */
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
     * @param before null if the columns of the replica identity have not changed and the old row is not given; {@link Row#isKeyOnly} if
     *     they have changed and only they are given
     * @param after unchanged large values are taken from {@code before}, if that has them
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
     * A message that somebody wrote with {@code pg_logical_emit_message}.
     *
     * @param transactional whether it is part of the current transaction; otherwise it stands between transactions
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
