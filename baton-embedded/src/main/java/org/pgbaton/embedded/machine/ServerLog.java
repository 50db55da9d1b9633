package org.pgbaton.embedded.machine;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** A server's log file, to which every start appends. */
public record ServerLog(Path file) {

    private static final long LARGE = 10L << 20;

    private static final int LAST_LINES = 15;

    private static final int LONGEST_TAIL = 1 << 16;

    /** Begins a new file if the old one is large, and returns where the next start will begin to write. */
    public long prepareStart() throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        long size = Files.size(file);
        if (size <= LARGE) {
            return size;
        }
        Files.move(
                file,
                file.resolveSibling(FileTree.nameOf(file) + ".old"),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.ATOMIC_MOVE);
        return 0;
    }

    /** The last lines that were written behind a position. */
    public String lastLines(long since) {
        if (!Files.exists(file)) {
            return "";
        }
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            long from = Math.max(Math.min(since, in.length()), in.length() - LONGEST_TAIL);
            byte[] tail = new byte[(int) (in.length() - from)];
            in.seek(from);
            in.readFully(tail);
            List<String> lines =
                    new String(tail, StandardCharsets.UTF_8).strip().lines().toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
        } catch (IOException e) {
            return "(cannot read " + file + ": " + e + ")";
        }
    }
}
