/** Subscriptions and their progress, as they are stored. */
@NullMarked
package org.pgbaton.checkpoint;

import org.jspecify.annotations.NullMarked;
