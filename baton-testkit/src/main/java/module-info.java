/** For tests of applications that use Baton, and for Baton's own. */
module org.pgbaton.testkit {
    requires transitive org.pgbaton;
    requires transitive org.pgbaton.embedded;
    requires transitive org.junit.jupiter.api;
    requires java.naming;
    requires org.postgresql.jdbc;
    requires static transitive org.jspecify;
    requires static org.checkerframework.checker.qual;

    exports org.pgbaton.testkit;
    exports org.pgbaton.testkit.codec;
    exports org.pgbaton.testkit.publisher;
}
