/** Baton's metrics, for any registry of Micrometer. */
module org.pgbaton.micrometer {
    requires transitive org.pgbaton;
    requires transitive micrometer.core;
    requires static org.jspecify;

    exports org.pgbaton.micrometer;
}
