package org.pgbaton.proofs.outbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Bytes that the kernel has received for a server that does not read them because it is frozen. */
final class UnreadBytes {
    private UnreadBytes() {}

    /** In all connections to a port of this machine. */
    static long at(int port) throws IOException {
        long bytes = 0;
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            Path file = Path.of(table);
            if (Files.exists(file)) {
                try (Stream<String> lines = Files.lines(file)) {
                    bytes += lines.skip(1).mapToLong(line -> unread(line, port)).sum();
                }
            }
        }
        return bytes;
    }

    /** Columns: number, local address, remote address, state (01 is established), bytes to send and bytes not read. */
    private static long unread(String line, int port) {
        String[] columns = line.strip().split("\\s+");
        String local = columns[1].substring(columns[1].indexOf(':') + 1);
        return columns[3].equals("01") && Integer.parseInt(local, 16) == port
                ? Long.parseLong(columns[4].substring(columns[4].indexOf(':') + 1), 16)
                : 0;
    }
}
