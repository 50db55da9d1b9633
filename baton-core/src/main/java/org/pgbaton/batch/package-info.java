/** Batches: the next rows of some lanes, handled and closed. */
@NullMarked
package org.pgbaton.batch;

import org.jspecify.annotations.NullMarked;
