package org.pgbaton.log;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A message that was made of another, or of nothing, and is in no log itself. */
@SuppressWarnings("ArrayRecordComponent") // nobody compares them
record MessageCopy(
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
        Instant recordedAt)
        implements Message {

    @Override
    public String toString() {
        return "message " + position + " of key '" + (key.length() <= 60 ? key : key.substring(0, 60) + "…") + "'"
                + (type == null ? "" : ", " + type);
    }
}
