package org.pgbaton.lane;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * How far a relay is, as it is recorded in the target, in the same transaction as the messages.
 *
 * <p>Positions can be given out again after the database lost its end, and a rewind asks for messages again. So a record counts only as
 * far as its {@link Generation} does, and if the log still has that very message at that position.
 */
public record FeedProgress(String generation, long position, UUID id) {
    /** The name under which the progress of the group itself is recorded; each key that is drained has one of its own. */
    static final String OF_GROUP = "group";

    public static String ofKey(String key) {
        return "key " + key;
    }

    static FeedProgress at(String generation, Message last) {
        return new FeedProgress(generation, last.position(), last.id());
    }

    String recorded() {
        return generation + ' ' + position + ' ' + id;
    }

    /** Null if there is none, or it is not ours. */
    static @Nullable FeedProgress read(@Nullable String recorded) {
        String[] parts = recorded == null ? new String[0] : recorded.split(" ", -1);
        try {
            return parts.length == 3
                    ? new FeedProgress(parts[0], Long.parseLong(parts[1]), UUID.fromString(parts[2]))
                    : null;
        } catch (IllegalArgumentException garbled) {
            return null;
        }
    }
}
