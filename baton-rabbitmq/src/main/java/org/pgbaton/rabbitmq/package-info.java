/** Publishes to RabbitMQ. */
@NullMarked
package org.pgbaton.rabbitmq;

import org.jspecify.annotations.NullMarked;
