package org.pgbaton.subscription;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A key that waits, and why.
 *
 * @param error of the latest attempt; null if none has failed
 * @param head position of the message that is next
 * @param waiting how many messages wait, the head among them
 */
public record ParkedKey(
        String subscription,
        String target,
        String key,
        State state,
        int attempts,
        @Nullable String error,
        Instant since,
        Instant nextAttemptAt,
        long head,
        long waiting) {

    /** What a key waits for. */
    public enum State {
        /** For an operator. */
        PARKED,
        /** For its next attempt. */
        RETRYING,
        /** For nothing: its handler is slow, and it goes on by itself. */
        SLOW;

        /** The word that the view and the command line use. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The state of that word. */
        public static State of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }
}
