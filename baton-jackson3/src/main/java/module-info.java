/** Typed messages as JSON, by Jackson 3. */
@SuppressWarnings("module") // the digit is Jackson's version, and the two can be used side by side
module org.pgbaton.jackson3 {
    requires transitive org.pgbaton;
    requires transitive tools.jackson.databind;
    requires static org.jspecify;

    exports org.pgbaton.jackson3;
}
