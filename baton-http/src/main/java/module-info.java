/** Publishes messages to webhooks. */
module org.pgbaton.http {
    requires transitive org.pgbaton;
    requires org.pgbaton.publishing;
    requires okhttp3;
    requires static org.jspecify;

    exports org.pgbaton.http;
}
