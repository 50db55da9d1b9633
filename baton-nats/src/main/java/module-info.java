/** Publishes to NATS JetStream, with acknowledgements. */
module org.pgbaton.nats {
    requires transitive org.pgbaton;
    requires transitive org.pgbaton.publishing;
    requires io.nats.jnats;
    requires static org.jspecify;

    exports org.pgbaton.nats;
}
