/** What publishers share, and where a new one starts: see {@link org.pgbaton.publishing}. */
module org.pgbaton.publishing {
    requires transitive org.pgbaton;
    requires static org.jspecify;

    exports org.pgbaton.publishing;
}
