/** Pages and an API for operators, for any HTTP server. */
module org.pgbaton.dashboard {
    requires transitive org.pgbaton;
    requires org.slf4j;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports org.pgbaton.dashboard;
    exports org.pgbaton.dashboard.http;
}
