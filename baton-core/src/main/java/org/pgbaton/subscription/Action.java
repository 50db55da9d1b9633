package org.pgbaton.subscription;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Something an operator did, or a subscription that stopped itself. */
public record Action(
        Instant at,
        String who,
        String what,
        String subject,
        @Nullable String reason,
        @Nullable String detail) {}
