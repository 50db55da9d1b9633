/** The parts that publishers share, and the start for a new one: see {@link org.pgbaton.publishing}. */
module org.pgbaton.publishing {
    requires transitive org.pgbaton;
    requires static org.jspecify;

    exports org.pgbaton.publishing;
}
