/** Typed messages as JSON, by Jackson 2. */
@SuppressWarnings("module") // the digit is Jackson's version, and the two can be used side by side
module org.pgbaton.jackson2 {
    requires transitive org.pgbaton;
    requires transitive com.fasterxml.jackson.databind;
    requires static org.jspecify;

    exports org.pgbaton.jackson2;
}
