/** What happened in a round, as those saw it who do not belong to Baton. */
@NullMarked
package org.pgbaton.chaos.history;

import org.jspecify.annotations.NullMarked;
