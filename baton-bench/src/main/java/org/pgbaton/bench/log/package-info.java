/**
 * {@code baton bench log}: what appending, reading, waking up and taking over cost, beside the limit and beside peers.
 *
 * <p>A {@link org.pgbaton.bench.Part} measures one thing in the {@link org.pgbaton.bench.Arena}: one PostgreSQL, a new
 * {@link org.pgbaton.bench.Place} (database) wherever sizes must be alike, and {@link org.pgbaton.bench.Player}s, JVMs of
 * their own that do what they are told. Variants take turns in a {@link org.pgbaton.bench.Race}. What comes out is a
 * {@link org.pgbaton.bench.Finding}.
 */
@NullMarked
package org.pgbaton.bench.log;

import org.jspecify.annotations.NullMarked;
