package org.pgbaton.server.doctor;

/** What a role is to be used for. Each needs other rights, and other things of the server. */
enum Purpose {
    /** Appends to logs, and does nothing else. */
    APPEND("append"),
    /** Looks: dashboards and people. */
    READ("read"),
    /** Leads, subscribes and publishes. */
    WORKER("worker"),
    /** Reads row changes from the WAL; is a worker, too. */
    CAPTURE("worker");

    private final String role;

    /** @param role the end of the name of the role that has the rights */
    Purpose(String role) {
        this.role = role;
    }

    String role() {
        return role;
    }

    /** Whether it holds sessions with locks. */
    boolean holdsSessions() {
        return this == WORKER || this == CAPTURE;
    }
}
