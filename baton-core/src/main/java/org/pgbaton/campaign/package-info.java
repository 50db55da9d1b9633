/** Bids for leaderships, and the terms that they win. */
@NullMarked
package org.pgbaton.campaign;

import org.jspecify.annotations.NullMarked;
