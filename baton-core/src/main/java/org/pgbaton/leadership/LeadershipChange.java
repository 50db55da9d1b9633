package org.pgbaton.leadership;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A step in {@link LeadershipState}.
 *
 * @param epoch of the term it is about, 0 while standing by
 * @param reason why, for people
 * @param takeover when LEADING begins: from the moment the lock was free, as far as it is known (released by a holder that
 *     left in good order, else granted to us), until leading
 */
public record LeadershipChange(
        String leadership,
        LeadershipState to,
        long epoch,
        String reason,
        @Nullable Duration takeover) {}
