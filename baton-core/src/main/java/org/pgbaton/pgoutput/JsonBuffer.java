package org.pgbaton.pgoutput;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A buffer to write JSON into. It holds UTF-8, which PostgreSQL sends too, so most bytes of a value are copied as they are. It can be reused:
 * {@link #clear}, write, {@link #text}. The caller writes commas and brackets. Not thread-safe.
 */
public final class JsonBuffer {
    private static final int SMALL = 1 << 10;
    /** A buffer that has grown beyond this is not kept. */
    private static final int LARGE = 1 << 20;

    /** The longest array that the JVM allows. */
    private static final int LARGEST = Integer.MAX_VALUE - 8;

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] HEX_CAPITALS = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

    private byte[] bytes = new byte[SMALL];
    private int length;

    private byte[] scratch = new byte[0];
    private @Nullable Instant lastInstant;
    private byte[] lastInstantText = new byte[0];

    public JsonBuffer clear() {
        length = 0;
        if (bytes.length > LARGE) {
            bytes = new byte[SMALL];
        }
        if (scratch.length > LARGE) {
            scratch = new byte[0];
        }
        return this;
    }

    /** The text that was written. Invalid UTF-8, which a database in SQL_ASCII may send, becomes U+FFFD. */
    public String text() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    byte[] bytes() {
        return Arrays.copyOf(bytes, length);
    }

    /** The number of bytes that were written. */
    public int length() {
        return length;
    }

    /** Removes everything after that length. */
    void backTo(int length) {
        this.length = length;
    }

    /** A work area of at least that many bytes. */
    byte[] scratch(int size) {
        if (scratch.length < size) {
            scratch = new byte[Math.max(size, 256)];
        }
        return scratch;
    }

    void raw(char ascii) {
        room(1);
        bytes[length++] = (byte) ascii;
    }

    void raw(String ascii) {
        int size = ascii.length();
        room(size);
        for (int i = 0; i < size; i++) {
            bytes[length++] = (byte) ascii.charAt(i);
        }
    }

    void raw(byte[] json) {
        raw(json, 0, json.length);
    }

    void raw(byte[] json, int from, int to) {
        room(to - from);
        System.arraycopy(json, from, bytes, length, to - from);
        length += to - from;
    }

    void string(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        string(utf8, 0, utf8.length);
    }

    void string(byte[] utf8, int from, int to) {
        raw('"');
        int start = from;
        for (int i = from; i < to; i++) {
            byte c = utf8[i];
            if ((c >= 0 && c < ' ') || c == '"' || c == '\\') {
                raw(utf8, start, i);
                escaped(c);
                start = i + 1;
            } else if (c == (byte) 0xE2 && isLineSeparator(utf8, i, to)) {
                raw(utf8, start, i);
                raw(utf8[i + 2] == (byte) 0xA8 ? "\\u2028" : "\\u2029");
                i += 2;
                start = i + 1;
            }
        }
        raw(utf8, start, to);
        raw('"');
    }

    /** U+2028 and U+2029 end a line in JavaScript, even inside a string. */
    private static boolean isLineSeparator(byte[] utf8, int at, int to) {
        return at + 2 < to
                && utf8[at + 1] == (byte) 0x80
                && (utf8[at + 2] == (byte) 0xA8 || utf8[at + 2] == (byte) 0xA9);
    }

    private void escaped(byte c) {
        switch (c) {
            case '"' -> raw("\\\"");
            case '\\' -> raw("\\\\");
            case '\n' -> raw("\\n");
            case '\r' -> raw("\\r");
            case '\t' -> raw("\\t");
            default -> {
                raw("\\u00");
                raw((char) HEX[c >> 4]);
                raw((char) HEX[c & 15]);
            }
        }
    }

    void base64(byte[] data) {
        raw('"');
        raw(Base64.getEncoder().encode(data));
        raw('"');
    }

    /** As PostgreSQL writes it: {@code 16/B374D848}. */
    void lsn(long lsn) {
        raw('"');
        capitals((int) (lsn >>> 32));
        raw('/');
        capitals((int) lsn);
        raw('"');
    }

    private void capitals(int number) {
        int digits = Math.max(1, (35 - Integer.numberOfLeadingZeros(number)) / 4);
        for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
            raw((char) HEX_CAPITALS[number >>> shift & 15]);
        }
    }

    void instant(Instant instant) {
        if (!instant.equals(lastInstant)) {
            lastInstant = instant;
            lastInstantText = ('"' + instant.toString() + '"').getBytes(StandardCharsets.US_ASCII);
        }
        raw(lastInstantText);
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            long needed = (long) length + more;
            if (needed > LARGEST) {
                throw new DecodeException("A change has more than 2 GB as JSON, which nobody can store.");
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(LARGEST, Math.max(2L * bytes.length, needed)));
        }
    }
}
