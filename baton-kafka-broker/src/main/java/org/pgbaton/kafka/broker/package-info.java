/** A real Kafka broker for tests. */
@NullMarked
package org.pgbaton.kafka.broker;

import org.jspecify.annotations.NullMarked;
