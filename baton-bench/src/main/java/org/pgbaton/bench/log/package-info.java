/**
 * {@code baton bench log}: what appending, reading, waking up and taking over cost, beside the limit and beside peers.
 *
 * <p>A {@link org.pgbaton.bench.arena.Part} measures one thing in the {@link org.pgbaton.bench.arena.Arena}: one PostgreSQL, a new
 * {@link org.pgbaton.bench.arena.Place} (database) wherever sizes must be alike, and {@link org.pgbaton.bench.arena.Player}s, JVMs
 * of their own that execute commands. Variants take turns in a {@link org.pgbaton.bench.arena.Race}. The result is a
 * {@link org.pgbaton.bench.arena.Finding}.
 */
@NullMarked
package org.pgbaton.bench.log;

import org.jspecify.annotations.NullMarked;
