package org.pgbaton.campaign;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.pgbaton.database.SchemaName;
import org.pgbaton.leadership.Leadership;

/**
 * A leadership's name and the advisory lock it stands for: the first 64 bits of the SHA-256 of schema, line feed and name,
 * or a number given by the caller, to share a lock with programs that call {@code pg_advisory_lock(n)} themselves.
 */
record LeadershipKey(String name, long key) {
    static LeadershipKey of(SchemaName schema, String name) {
        Leadership.requireName(name);
        return new LeadershipKey(name, first64BitsOfSha256(schema.name() + "\n" + name));
    }

    static LeadershipKey numbered(String name, long key) {
        Leadership.requireName(name);
        return new LeadershipKey(name, key);
    }

    private static long first64BitsOfSha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java has SHA-256.", impossible);
        }
    }
}
