package org.pgbaton.wal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.UUID;

/**
 * Makes the ids of messages. A change has the same id however often it is read, and whoever reads it. Not thread-safe.
 */
final class ChangeIds {
    private final byte[] source;
    private final MessageDigest digest = md5();

    /** @param system the identifier of the PostgreSQL cluster */
    ChangeIds(String system, String slot) {
        this.source = (system + "/" + slot).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * A UUID of version 8: first the time, so that the log's index grows at one end, then a hash of the change's place.
     *
     * @param part the number of the message, if the change becomes several
     */
    UUID of(Instant committedAt, long lsn, long ordinal, int part) {
        digest.update(source);
        digest.update(ByteBuffer.allocate(20)
                .putLong(lsn)
                .putLong(ordinal)
                .putInt(part)
                .flip());
        ByteBuffer hash = ByteBuffer.wrap(digest.digest());
        long high = (committedAt.toEpochMilli() << 16) | 0x8000 | (hash.getLong() & 0x0fff);
        long low = (hash.getLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("Every Java has MD5", impossible);
        }
    }
}
