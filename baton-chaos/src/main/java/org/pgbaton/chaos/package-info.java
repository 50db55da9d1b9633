/**
 * The torture chamber: {@link org.pgbaton.chaos.Chaos} runs a {@link org.pgbaton.chaos.Campaign} of {@link org.pgbaton.chaos.round.Round
 * rounds}, each of a {@link org.pgbaton.chaos.world.Scenario} in a {@link org.pgbaton.chaos.world.World} that a {@link
 * org.pgbaton.chaos.fault.Fault} strikes; {@link org.pgbaton.chaos.verdict.Invariants} judges by the {@link
 * org.pgbaton.chaos.history.History} alone.
 */
@NullMarked
package org.pgbaton.chaos;

import org.jspecify.annotations.NullMarked;
