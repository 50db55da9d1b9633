package org.pgbaton.pgoutput;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import org.postgresql.replication.LogSequenceNumber;

/**
 * Reads one message from its first byte to its last, and never beyond. If something does not fit, it throws a {@link DecodeException} that names the
 * type of the message and the byte, before it allocates memory.
 */
final class Cursor {
    /** 2000-01-01 in seconds since 1970. */
    private static final long POSTGRES_EPOCH = 946_684_800L;

    private static final long MICROS = 1_000_000L;

    private final byte[] bytes;
    private final int start;
    private final int end;
    private int at;

    Cursor(ByteBuffer message) {
        if (message.hasArray()) {
            bytes = message.array();
            start = message.arrayOffset() + message.position();
        } else {
            bytes = new byte[message.remaining()];
            message.duplicate().get(bytes);
            start = 0;
        }
        end = start + message.remaining();
        at = start;
    }

    byte[] bytes() {
        return bytes;
    }

    /** The index of the next byte in {@link #bytes}. */
    int at() {
        return at;
    }

    int left() {
        return end - at;
    }

    byte int8() {
        need(1, "a byte");
        return bytes[at++];
    }

    int int16() {
        need(2, "a number of two bytes");
        int value = (bytes[at] & 255) << 8 | (bytes[at + 1] & 255);
        at += 2;
        return value;
    }

    int int32() {
        need(4, "a number of four bytes");
        int value = (bytes[at] & 255) << 24
                | (bytes[at + 1] & 255) << 16
                | (bytes[at + 2] & 255) << 8
                | (bytes[at + 3] & 255);
        at += 4;
        return value;
    }

    long oid() {
        return Integer.toUnsignedLong(int32());
    }

    private long int64() {
        need(8, "a number of eight bytes");
        return Integer.toUnsignedLong(int32()) << 32 | Integer.toUnsignedLong(int32());
    }

    LogSequenceNumber lsn() {
        return LogSequenceNumber.valueOf(int64());
    }

    Instant instant() {
        long micros = int64();
        return Instant.ofEpochSecond(
                POSTGRES_EPOCH + Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1000);
    }

    String string() {
        int from = at;
        while (at < end && bytes[at] != 0) {
            at++;
        }
        if (at == end) {
            at = from;
            throw broken("a text has no end");
        }
        return new String(bytes, from, at++ - from, StandardCharsets.UTF_8);
    }

    /** Skips that many bytes. */
    void skip(int length, String what) {
        need(length, what);
        at += length;
    }

    private void need(int length, String what) {
        if (length < 0 || length > end - at) {
            throw broken(what + (length > 8 || length < 0 ? " of " + length + " bytes" : "")
                    + " does not fit into what is left, " + (end - at) + " bytes");
        }
    }

    void expectEnd() {
        if (at != end) {
            throw broken(end - at + " bytes follow where the message should end");
        }
    }

    /** @param why a clause that follows "at byte n of m" */
    DecodeException broken(String why) {
        int offset = at - start;
        String type = start == end ? "" : " of type " + shown(bytes[start]);
        return new DecodeException(
                "Cannot read a message" + type + " from the replication slot: at byte " + offset + " of "
                        + (end - start) + " " + why
                        + ". Is something on the way changing bytes, or is the output plugin not pgoutput, protocol version 1?");
    }

    static String shown(byte c) {
        return c > ' ' && c < 127 ? "'" + (char) c + "'" : String.format(Locale.ROOT, "0x%02x", c);
    }
}
