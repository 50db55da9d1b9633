package org.pgbaton.subscription;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key that waits, and why.
 *
 * @param state {@code parked}: for an operator; {@code retrying}: for its next attempt; {@code slow}: goes on by itself
 * @param head position of the message that is next
 * @param waiting how many messages wait, the head among them
 */
public record ParkedKey(
        String subscription,
        String target,
        String key,
        String state,
        int attempts,
        @Nullable String error,
        Instant since,
        Instant nextAttemptAt,
        long head,
        long waiting) {}
