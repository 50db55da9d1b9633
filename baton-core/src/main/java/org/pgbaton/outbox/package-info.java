/** Messages on their way out: written in the business transaction, published by a relay. */
@NullMarked
package org.pgbaton.outbox;

import org.jspecify.annotations.NullMarked;
