/**
 * {@code baton bench growth}: how the cost of one unit of work grows with the number of rows, subscriptions, logs,
 * processes, lanes, keys, parked keys and bytes.
 *
 * <p>A part measures a {@link org.pgbaton.bench.growth.Curve}. A {@link org.pgbaton.bench.growth.Law} says how each line of
 * it grows, and a {@link org.pgbaton.bench.growth.Plot} shows it. What is counted is CPU time and statements wherever that is
 * possible: both depend little on what else the machine does.
 */
@NullMarked
package org.pgbaton.bench.growth;

import org.jspecify.annotations.NullMarked;
