/** Publishes to Kafka: exactly once for consumers that read what is committed, or at least once. */
@NullMarked
package org.pgbaton.kafka;

import org.jspecify.annotations.NullMarked;
