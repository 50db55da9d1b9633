/** One look at the database for all viewers, and what was seen before. */
@NullMarked
package org.pgbaton.dashboard.look;

import org.jspecify.annotations.NullMarked;
