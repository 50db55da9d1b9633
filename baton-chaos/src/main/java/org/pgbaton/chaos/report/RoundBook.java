package org.pgbaton.chaos.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import tools.jackson.core.JacksonException;

/**
 * All rounds that were ever played with a folder, one line each in {@code rounds.jsonl}, and the reports of them. Campaigns add to it, so that
 * one that was ended goes on with the next; several may do so at the same time. One thread at a time.
 */
public final class RoundBook {
    private final Path folder;
    private final Path file;
    private final Totals totals = new Totals();
    /** Up to here the file is in the totals. */
    private long read;

    public RoundBook(Path folder) {
        this.folder = folder;
        this.file = folder.resolve("rounds.jsonl");
    }

    public void add(RoundEntry round) throws IOException {
        Files.createDirectories(folder);
        // Whoever was ended in the middle of a line loses that line, and not ours with it.
        String line = (endsInsideALine() ? "\n" : "") + Json.COMPACT.writeValueAsString(round) + "\n";
        Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private boolean endsInsideALine() throws IOException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return false;
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
            bytes.seek(bytes.length() - 1);
            return bytes.read() != '\n';
        }
    }

    /** Rounds of a pair that came to a verdict, those of other campaigns too. */
    public int verdicts(int postgres, String scenario, String fault) throws IOException {
        return totals().verdicts(postgres, new Grid.Pair(scenario, fault));
    }

    /** Writes all reports anew; whoever reads one meanwhile sees the old one or the new one. */
    public void report(Grid grid) throws IOException {
        Totals now = totals();
        Grid shown = grid.with(now.byPair().keySet());
        replace("report.md", MarkdownReport.of(now, shown));
        replace("report.json", JsonReport.of(now, shown));
        replace("report.html", HtmlReport.of(now, shown, Instant.now()));
    }

    private void replace(String name, String text) throws IOException {
        Files.createDirectories(folder);
        Path draft = Files.writeString(folder.resolve(name + ".new"), text);
        Files.move(draft, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Of all lines that are complete. */
    Totals totals() throws IOException {
        if (!Files.exists(file)) {
            return totals;
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
            bytes.seek(read);
            byte[] more = new byte[1 << 16];
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int count = bytes.read(more); count > 0; count = bytes.read(more)) {
                int begin = 0;
                for (int i = 0; i < count; i++) {
                    if (more[i] == '\n') {
                        line.write(more, begin, i + 1 - begin);
                        begin = i + 1;
                        read += line.size();
                        take(line.toString(StandardCharsets.UTF_8).strip());
                        line.reset();
                    }
                }
                line.write(more, begin, count - begin);
            }
        }
        return totals;
    }

    private void take(String line) {
        if (line.isEmpty()) {
            return;
        }
        try {
            totals.add(Json.COMPACT.readValue(line, RoundEntry.class));
        } catch (JacksonException broken) {
            totals.addUnreadable();
        }
    }
}
