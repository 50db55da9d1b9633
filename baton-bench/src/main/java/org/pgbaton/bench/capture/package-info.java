/**
 * {@code baton bench capture}: from the WAL to the log, beside {@code pg_recvlogical}, a bare stream of the same driver, and Debezium;
 * with every change counted and its order checked.
 *
 * <p>A {@link org.pgbaton.bench.capture.Wal} is a database with a slot for everybody and the same changes behind all of them; a {@link
 * org.pgbaton.bench.capture.Contestant} is a class that reads one of the slots in a JVM of its own ({@link
 * org.pgbaton.bench.capture.ContestantProgram}).
 */
@NullMarked
package org.pgbaton.bench.capture;

import org.jspecify.annotations.NullMarked;
