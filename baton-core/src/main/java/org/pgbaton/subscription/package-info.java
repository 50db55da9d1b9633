/** Named readers of a log: handlers, checkpoints, parked keys, and what operators do with them. */
@NullMarked
package org.pgbaton.subscription;

import org.jspecify.annotations.NullMarked;
