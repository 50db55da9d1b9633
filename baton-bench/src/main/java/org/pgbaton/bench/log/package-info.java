/**
 * {@code baton bench log}: what appending, reading, waking up and taking over cost, beside the limit and beside peers.
 *
 * <p>A {@link org.pgbaton.bench.Part} measures one thing in the {@link org.pgbaton.bench.Arena}: one PostgreSQL, a new
 * {@link org.pgbaton.bench.Place} (database) wherever sizes must be alike, and {@link org.pgbaton.bench.Player}s, JVMs
 * of their own that execute commands. Variants take turns in a {@link org.pgbaton.bench.Race}. The result is a
 * {@link org.pgbaton.bench.Finding}.
 */
@NullMarked
package org.pgbaton.bench.log;

import org.jspecify.annotations.NullMarked;
