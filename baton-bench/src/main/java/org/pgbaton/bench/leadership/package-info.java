/** {@code baton bench leadership}: how long a change of the leader takes. */
@NullMarked
package org.pgbaton.bench.leadership;

import org.jspecify.annotations.NullMarked;
