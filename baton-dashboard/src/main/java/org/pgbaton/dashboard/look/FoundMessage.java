package org.pgbaton.dashboard.look;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message of a log, and how far each subscription is with it.
 *
 * @param json null if the payload is bytes
 * @param bytes the size of the payload
 */
public record FoundMessage(
        String log,
        long position,
        UUID id,
        int lane,
        String key,
        @Nullable String topic,
        @Nullable String type,
        @Nullable String headers,
        @Nullable String json,
        int bytes,
        Instant recordedAt,
        List<Stop> path) {

    /** The same with its way. */
    FoundMessage along(List<Stop> way) {
        return new FoundMessage(log, position, id, lane, key, topic, type, headers, json, bytes, recordedAt, way);
    }

    /** Where a message is with one subscription. */
    public enum State {
        HANDLED,
        SKIPPED,
        WAITING,
        PARKED,
        RETRYING,
        SLOW;

        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /**
     * One subscription on the message's way.
     *
     * @param who the owner of its lane, as far as it is known to have handled it; else null
     * @param at when that was, if it is known exactly
     * @param before it was handled before this moment; null if it was not
     * @param sentence what is known, in words
     */
    public record Stop(
            Subscription subscription,
            State state,
            @Nullable String who,
            @Nullable Instant at,
            @Nullable Instant before,
            String sentence) {}
}
