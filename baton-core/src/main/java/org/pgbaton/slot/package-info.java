/** The replication slot of a capture: makes it, reads from it, watches how much WAL the server keeps for it. Not API. */
@NullMarked
package org.pgbaton.slot;

import org.jspecify.annotations.NullMarked;
