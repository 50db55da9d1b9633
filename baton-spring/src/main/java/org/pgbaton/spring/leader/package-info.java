/** Methods with {@code @LeaderOnly}: one process of many runs them. */
@NullMarked
package org.pgbaton.spring.leader;

import org.jspecify.annotations.NullMarked;
