/**
 * {@code baton bench dashboard}: how fast the dashboard answers many viewers, and whether they slow workers down. {@link
 * org.pgbaton.bench.dashboard.DeskProgram} is the program of its three JVMs: the workers, the process that serves the dashboard, and the viewers.
 */
@NullMarked
package org.pgbaton.bench.dashboard;

import org.jspecify.annotations.NullMarked;
