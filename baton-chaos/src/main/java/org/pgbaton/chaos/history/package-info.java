/** What happened in a round, seen from outside Baton. */
@NullMarked
package org.pgbaton.chaos.history;

import org.jspecify.annotations.NullMarked;
