/** Publishes to RabbitMQ, with publisher confirms. */
module org.pgbaton.rabbitmq {
    requires transitive org.pgbaton;
    requires transitive org.pgbaton.publishing;
    requires com.rabbitmq.client;
    requires static org.jspecify;

    exports org.pgbaton.rabbitmq;
}
