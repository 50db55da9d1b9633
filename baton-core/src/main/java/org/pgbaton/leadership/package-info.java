/** Session, lock and epoch for any job that only one process may do at a time. Start at {@link org.pgbaton.leadership.Leadership}. */
@NullMarked
package org.pgbaton.leadership;

import org.jspecify.annotations.NullMarked;
