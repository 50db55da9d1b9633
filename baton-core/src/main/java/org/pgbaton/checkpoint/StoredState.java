package org.pgbaton.checkpoint;

import org.jspecify.annotations.Nullable;

/**
 * The state that operators want of a subscription, as it is stored.
 *
 * @param name as it stands in the table; {@code deleted} if there is no such subscription any more
 * @param note why it does not run
 */
public record StoredState(String name, @Nullable String note) {}
