package org.pgbaton.inbox;

/** The statements about inboxes. The functions are in {@code routines/inbox.sql}. */
final class InboxSql {
    static final String FIRST_TIME = "SELECT ${schema}.first_time(?, ?, ?, ?)";

    static final String FORGET = "SELECT ${schema}.forget_received(?, pg_catalog.make_interval(secs => ?), ?)";

    private InboxSql() {}
}
