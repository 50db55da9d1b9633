/** The place of a round: PostgreSQL, the processes of Baton and their targets, as a scenario wants them. */
@NullMarked
package org.pgbaton.chaos.world;

import org.jspecify.annotations.NullMarked;
