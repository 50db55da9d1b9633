package org.pgbaton.pgoutput;

/** Which columns of an old row PostgreSQL writes to the WAL. */
public enum ReplicaIdentity {
    /** The primary key. */
    DEFAULT,
    NOTHING,
    /** The whole row. */
    FULL,
    /** The columns of a chosen unique index. */
    INDEX
}
