package org.pgbaton.table;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * A message that was read from a log's table.
 *
 * @param excuse why its body could not be read, and is empty; null for every message that a handler gets
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares them
public record StoredMessage(
        long position,
        int lane,
        String key,
        @Nullable Long version,
        @Nullable String type,
        @Nullable String topic,
        UUID id,
        boolean isJson,
        byte[] payload,
        @Nullable String headers,
        Instant recordedAt,
        @Nullable String excuse)
        implements Message {

    /** Why the body of a message could not be read; null if it could. */
    public static @Nullable String excuseOf(Message message) {
        return message instanceof StoredMessage stored ? stored.excuse : null;
    }

    @Override
    public String toString() {
        return "message " + position + " of key '" + (key.length() <= 60 ? key : key.substring(0, 60) + "…") + "'"
                + (type == null ? "" : ", " + type);
    }
}
