package org.pgbaton.pgoutput;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/**
 * What real servers sent for the statements of {@code RecordMessages} in the proofs.
 *
 * @param lsn what {@code pg_logical_slot_peek_binary_changes} said beside the message
 * @param xid the same
 */
record Recorded(String lsn, long xid, String hex) {

    static List<Recorded> on(int version) {
        try (InputStream in =
                Objects.requireNonNull(Recorded.class.getResourceAsStream("messages-" + version + ".txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .map(Recorded::line)
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static Recorded line(String line) {
        String[] parts = line.split(" ");
        return new Recorded(parts[0], Long.parseLong(parts[1]), parts[2]);
    }

    byte[] bytes() {
        return HexFormat.of().parseHex(hex);
    }

    char type() {
        return (char) bytes()[0];
    }

    ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes());
    }
}
