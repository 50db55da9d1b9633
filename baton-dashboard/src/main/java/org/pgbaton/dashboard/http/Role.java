package org.pgbaton.dashboard.http;

/** What a viewer may do. */
public enum Role {
    /** Look. */
    READER,
    /** Look, pause, resume, retry, skip, redact. */
    OPERATOR
}
