package org.pgbaton.chaos.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rounds in short form, a line each, in a file that is kept longer than the folder of a campaign: without what was done to them, and without their
 * time line. One thread at a time.
 */
final class KeptRounds {
    private static final String HEADER = "postgres,scenario,fault,seed,begun,seconds,verdict,done,calm_ms,takeover_ms";
    private static final String HELD = "held";
    private static final String VOID = "void";

    private final Path file;

    KeptRounds(Path file) {
        this.file = file;
    }

    /** @throws IOException also if a line is no round: somebody would count too few */
    List<RoundEntry> read() throws IOException {
        List<RoundEntry> rounds = new ArrayList<>();
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                if (!line.isBlank() && !line.equals(HEADER)) {
                    rounds.add(parse(line));
                }
            }
        }
        return rounds;
    }

    void add(RoundEntry round) throws IOException {
        String line = line(round) + "\n";
        Files.writeString(
                file,
                Files.exists(file) ? line : HEADER + "\n" + line,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    static String line(RoundEntry round) {
        String violated = round.violations().stream()
                .map(RoundEntry.Broken::invariant)
                .distinct()
                .collect(Collectors.joining(" "));
        return String.join(
                ",",
                Integer.toString(round.postgres()),
                round.scenario(),
                round.fault(),
                Long.toString(round.seed()),
                text(round.begun()),
                String.format(Locale.ROOT, "%.1f", round.seconds()),
                !violated.isEmpty() ? violated : round.isVoid() ? VOID : HELD,
                Long.toString(round.done()),
                text(round.calmMillis()),
                text(round.takeoverMillis()));
    }

    private RoundEntry parse(String line) throws IOException {
        String[] cells = line.split(",", -1);
        try {
            String verdict = cells[6];
            boolean isViolated = !verdict.equals(HELD) && !verdict.equals(VOID);
            return new RoundEntry(
                    Integer.parseInt(cells[0]),
                    cells[1],
                    cells[2],
                    Long.parseLong(cells[3]),
                    cells[4].isEmpty() ? null : Instant.parse(cells[4]),
                    Double.parseDouble(cells[5]),
                    isViolated
                            ? Arrays.stream(verdict.split(" "))
                                    .map(each -> new RoundEntry.Broken(each, ""))
                                    .toList()
                            : List.of(),
                    verdict.equals(VOID),
                    null,
                    Long.parseLong(cells[7]),
                    number(cells[8]),
                    number(cells[9]),
                    null,
                    List.of(),
                    TimeLine.empty(),
                    null);
        } catch (RuntimeException wrong) {
            throw new IOException("The line '" + line + "' of " + file + " is no round.", wrong);
        }
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    private static @Nullable Long number(String cell) {
        return cell.isEmpty() ? null : Long.valueOf(cell);
    }
}
