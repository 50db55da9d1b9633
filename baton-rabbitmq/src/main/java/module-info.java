/** Publishes to RabbitMQ, with publisher confirms. */
module org.pgbaton.rabbitmq {
    requires transitive org.pgbaton;
    requires com.rabbitmq.client;
    requires static org.jspecify;

    exports org.pgbaton.rabbitmq;
}
