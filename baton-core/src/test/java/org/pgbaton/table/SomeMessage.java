package org.pgbaton.table;

import java.time.Instant;
import java.util.UUID;
import org.pgbaton.log.Message;

/** A message as it would be read from a log, for tests without one. */
public final class SomeMessage {
    private static final byte[] NOTHING = {'{', '}'};

    private SomeMessage() {}

    public static Message of(long position, int lane, String key) {
        return of(position, lane, key, new UUID(0, position));
    }

    public static Message of(long position, int lane, String key, UUID id) {
        return new StoredMessage(position, lane, key, null, null, null, id, true, NOTHING, null, Instant.EPOCH, null);
    }
}
