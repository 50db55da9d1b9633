package org.pgbaton.log;

import java.time.Instant;
import java.util.UUID;

/** A message as it would be read from a log, for tests without one. */
public final class SomeMessage {
    private static final byte[] NOTHING = {'{', '}'};

    private SomeMessage() {}

    public static Message of(long position, int lane, String key) {
        return of(position, lane, key, new UUID(0, position));
    }

    public static Message of(long position, int lane, String key, UUID id) {
        return new Message(position, lane, key, null, null, null, id, true, NOTHING, null, Instant.EPOCH, null);
    }
}
