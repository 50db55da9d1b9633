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
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * All rounds that were ever played with a folder, one line each in {@code rounds.jsonl}, and the reports of them. Campaigns add to it, so that
 * one that was ended goes on with the next; several may do so at the same time. A file outside the folder can keep them in short form; its rounds count
 * too. One thread at a time.
 */
public final class RoundBook {
    private final Path folder;
    private final Path file;
    private final @Nullable KeptRounds kept;
    private final Totals totals = new Totals();
    /** Rounds of the file that is kept, which may be in the folder, too. */
    private final Set<String> counted = new HashSet<>();
    /** Up to here the file is in the totals. */
    private long read;
    /** Whether rounds of the folder are added to the file that is kept; those of other campaigns are added by them. */
    private boolean isMerging;

    /** @param kept a file that keeps rounds in short form; rounds of the folder that it does not have are added */
    public RoundBook(Path folder, @Nullable Path kept) throws IOException {
        this.folder = folder;
        this.file = folder.resolve("rounds.jsonl");
        this.kept = kept == null ? null : new KeptRounds(kept);
        if (this.kept != null) {
            for (RoundEntry round : this.kept.read()) {
                if (counted.add(id(round))) {
                    totals.addInShort(round);
                }
            }
        }
        isMerging = true;
        totals();
        isMerging = false;
    }

    private static String id(RoundEntry round) {
        return round.postgres() + " " + round.scenario() + " " + round.fault() + " " + round.seed() + " "
                + round.begun();
    }

    public void add(RoundEntry round) throws IOException {
        Files.createDirectories(folder);
        if (kept != null) {
            kept.add(round);
        }
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

    private void take(String line) throws IOException {
        if (line.isEmpty()) {
            return;
        }
        try {
            RoundEntry round = Json.COMPACT.readValue(line, RoundEntry.class);
            boolean isNew = kept == null || counted.add(id(round));
            if (isNew && isMerging && kept != null) {
                kept.add(round);
            }
            if (isNew) {
                totals.add(round);
            } else {
                totals.show(round);
            }
        } catch (JacksonException broken) {
            totals.addUnreadable();
        }
    }
}
