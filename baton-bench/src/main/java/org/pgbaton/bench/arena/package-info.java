/** What all benchmarks share: the place, the players, the series of rounds, and what is found and shown. */
@NullMarked
package org.pgbaton.bench.arena;

import org.jspecify.annotations.NullMarked;
