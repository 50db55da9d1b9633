package org.pgbaton.pgoutput;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes messages as the server would. */
final class Wire {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    static Wire message(char type) {
        return new Wire().int8(type);
    }

    static Wire begin() {
        return message('B').int64(0x16_B374D848L).int64(0).int32(7);
    }

    Wire int8(int value) {
        return write(() -> out.writeByte(value));
    }

    Wire int16(int value) {
        return write(() -> out.writeShort(value));
    }

    Wire int32(int value) {
        return write(() -> out.writeInt(value));
    }

    Wire int64(long value) {
        return write(() -> out.writeLong(value));
    }

    Wire string(String text) {
        return raw(text).int8(0);
    }

    Wire raw(String text) {
        return write(() -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    Wire column(boolean key, String name, int type) {
        return int8(key ? 1 : 0).string(name).int32(type).int32(-1);
    }

    /** "null" is NULL, "unchanged" a large value that is not sent. */
    Wire row(String... values) {
        int16(values.length);
        for (String value : values) {
            switch (value) {
                case "null" -> int8('n');
                case "unchanged" -> int8('u');
                default ->
                    int8('t')
                            .int32(value.getBytes(StandardCharsets.UTF_8).length)
                            .raw(value);
            }
        }
        return this;
    }

    ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes.toByteArray());
    }

    private interface Write {
        void run() throws IOException;
    }

    private Wire write(Write write) {
        try {
            write.run();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return this;
    }
}
