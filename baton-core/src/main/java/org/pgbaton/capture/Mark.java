package org.pgbaton.capture;

import org.postgresql.replication.LogSequenceNumber;

/**
 * A place in the history of the captured tables: a transaction by where it committed, and a change within it. The server sends
 * transactions in the order of their commits, so marks only grow.
 */
record Mark(long commitLsn, long ordinal) {
    /** Whether that change comes after this mark, and so is not in the log yet. */
    boolean isBefore(long lsn, long change) {
        int byCommit = Long.compareUnsigned(commitLsn, lsn);
        return byCommit < 0 || (byCommit == 0 && ordinal < change);
    }

    String lsn() {
        return text(commitLsn);
    }

    static String text(long lsn) {
        return LogSequenceNumber.valueOf(lsn).asString();
    }

    static long parse(String lsn) {
        return LogSequenceNumber.valueOf(lsn).asLong();
    }
}
