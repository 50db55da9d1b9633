/** Everything at once for a long time, without faults. */
@NullMarked
package org.pgbaton.chaos.load;

import org.jspecify.annotations.NullMarked;
