/** Baton's library: leadership, logs, subscriptions and captures on plain PostgreSQL. */
module org.pgbaton {
    requires transitive java.sql;
    requires org.postgresql.jdbc;
    requires org.slf4j;
    requires static transitive org.jspecify;
    requires static org.checkerframework.checker.qual;
    requires static com.google.errorprone.annotations;

    exports org.pgbaton;
    exports org.pgbaton.capture;
    exports org.pgbaton.database;
    exports org.pgbaton.inbox;
    exports org.pgbaton.leadership;
    exports org.pgbaton.log;
    exports org.pgbaton.outbox;
    exports org.pgbaton.schema;
    exports org.pgbaton.shard;
    exports org.pgbaton.subscription;
    exports org.pgbaton.typed;
}
