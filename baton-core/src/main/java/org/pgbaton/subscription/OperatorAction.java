package org.pgbaton.subscription;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something an operator did, or a subscription that stopped itself.
 *
 * @param who the name that was given
 * @param byUser the user of the session that did it, whatever name was given; null for actions of earlier versions
 */
public record OperatorAction(
        Instant at,
        String who,
        String what,
        String subject,
        @Nullable String reason,
        @Nullable String detail,
        @Nullable String byUser) {}
