package org.pgbaton.wal;

import org.pgbaton.pgoutput.Lsn;

/**
 * The place of a change in the WAL: where its transaction committed, and its number in the transaction. The server sends transactions in the order
 * of their commits, so the places of a stream only grow. Immutable.
 */
record ChangePlace(long commitLsn, long ordinal) {
    /** Whether that change comes after this one. */
    boolean isBefore(long lsn, long change) {
        int byCommit = Long.compareUnsigned(commitLsn, lsn);
        return byCommit < 0 || (byCommit == 0 && ordinal < change);
    }

    String lsn() {
        return Lsn.text(commitLsn);
    }
}
