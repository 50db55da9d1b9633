package org.pgbaton.campaign;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.pgbaton.database.SchemaName;
import org.pgbaton.leadership.LeadershipNameException;

/**
 * A leadership's name and the advisory lock it stands for: the first 64 bits of the SHA-256 of schema, line feed and name,
 * or a number given by the caller, to share a lock with programs that call {@code pg_advisory_lock(n)} themselves.
 */
record LeadershipKey(String name, long key) {
    private static final int LONGEST = 200;

    static LeadershipKey of(SchemaName schema, String name) {
        requireUsable(name);
        return new LeadershipKey(name, first64BitsOfSha256(schema.name() + "\n" + name));
    }

    static LeadershipKey numbered(String name, long key) {
        requireUsable(name);
        return new LeadershipKey(name, key);
    }

    private static void requireUsable(String name) {
        if (name.isBlank()) {
            throw new LeadershipNameException("A leadership needs a name: give 1 to " + LONGEST + " characters.");
        }
        if (name.codePointCount(0, name.length()) > LONGEST) {
            throw new LeadershipNameException("The leadership name '" + name.substring(0, 40) + "…' has "
                    + name.codePointCount(0, name.length()) + " characters: give 1 to " + LONGEST + ".");
        }
        name.codePoints().filter(LeadershipKey::isUnprintable).findFirst().ifPresent(c -> {
            throw new LeadershipNameException(String.format(
                    "The leadership name '%s' contains the control character U+%04X; leave it out.",
                    name.codePoints()
                            .map(each -> isUnprintable(each) ? '?' : each)
                            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append),
                    c));
        });
    }

    private static boolean isUnprintable(int codePoint) {
        return Character.isISOControl(codePoint) || Character.getType(codePoint) == Character.SURROGATE;
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
