/** Exactly once: one group's producer, its transactions, and the topic with its progress. Not for applications. */
@NullMarked
package org.pgbaton.kafka.transaction;

import org.jspecify.annotations.NullMarked;
