package org.pgbaton.pgoutput;

import org.postgresql.replication.LogSequenceNumber;

/** Converts places in the WAL between PostgreSQL's text, {@code 16/B374D848}, and numbers. */
public final class Lsn {
    private Lsn() {}

    public static String text(long lsn) {
        return LogSequenceNumber.valueOf(lsn).asString();
    }

    public static long parse(String lsn) {
        return LogSequenceNumber.valueOf(lsn).asLong();
    }
}
