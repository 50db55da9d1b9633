/** {@code baton logs}: making logs, looking at them, and what must be asked for by name. */
@NullMarked
package org.pgbaton.server.logs;

import org.jspecify.annotations.NullMarked;
