/**
 * The torture chamber: {@link org.pgbaton.chaos.Chaos} runs a {@link org.pgbaton.chaos.Campaign} of {@link org.pgbaton.chaos.Round rounds}, each of
 * a {@link org.pgbaton.chaos.Scenario} in a {@link org.pgbaton.chaos.World} that a {@link org.pgbaton.chaos.Fault} strikes; {@link
 * org.pgbaton.chaos.Invariants} judges by the {@link org.pgbaton.chaos.History} alone.
 */
@NullMarked
package org.pgbaton.chaos;

import org.jspecify.annotations.NullMarked;
