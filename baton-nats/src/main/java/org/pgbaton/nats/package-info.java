/** Publishes to NATS JetStream. */
@NullMarked
package org.pgbaton.nats;

import org.jspecify.annotations.NullMarked;
