package org.pgbaton.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * All rounds that were ever run with this folder, one line each in {@code rounds.csv}, and a table of them in {@code report.md}. Campaigns
 * add to it, so that one that was ended goes on with the next.
 */
final class Ledger {
    private static final String HEAD = "postgres,scenario,fault,seed,violations,void,done,calm_ms";

    private final Path folder;
    private final int postgres;

    Ledger(Path folder, int postgres) {
        this.folder = folder;
        this.postgres = postgres;
    }

    void add(Round.Result result) throws IOException {
        Files.createDirectories(folder);
        Path file = folder.resolve("rounds.csv");
        List<String> lines = new ArrayList<>();
        if (!Files.exists(file)) {
            lines.add(HEAD);
        }
        lines.add(String.join(
                ",",
                Integer.toString(postgres),
                result.scenario().title(),
                result.fault().title(),
                Long.toString(result.seed()),
                Integer.toString(result.violations().size()),
                Boolean.toString(result.isVoid()),
                Long.toString(result.done()),
                result.calmAfter() == null
                        ? ""
                        : Long.toString(result.calmAfter().toMillis())));
        Files.write(file, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Of a pair of scenario and fault. */
    private static final class Sum {
        int rounds;
        int violated;
        int without;
        long done;
        final List<Long> calm = new ArrayList<>();
    }

    /** Writes the table anew. */
    Path report() throws IOException {
        Map<String, Sum> sums = new TreeMap<>();
        for (String line : Files.readAllLines(folder.resolve("rounds.csv"))) {
            String[] cells = line.split(",", -1);
            if (!line.equals(HEAD)) {
                Sum sum = sums.computeIfAbsent(cells[1] + " | " + cells[2], pair -> new Sum());
                sum.rounds++;
                sum.violated += cells[4].equals("0") ? 0 : 1;
                sum.without += Boolean.parseBoolean(cells[5]) ? 1 : 0;
                sum.done += Long.parseLong(cells[6]);
                if (!cells[7].isEmpty()) {
                    sum.calm.add(Long.parseLong(cells[7]));
                }
            }
        }
        List<String> lines = new ArrayList<>(List.of(
                "# Rounds",
                "",
                "Calm: milliseconds from the end of the traffic until nothing was left to do.",
                "",
                "| scenario | fault | rounds | violated | void | done | calm p50 | calm worst |",
                "|---|---|---|---|---|---|---|---|"));
        sums.forEach((pair, sum) -> {
            Collections.sort(sum.calm);
            lines.add(String.format(
                    Locale.ROOT,
                    "| %s | %d | %d | %d | %,d | %s | %s |",
                    pair,
                    sum.rounds,
                    sum.violated,
                    sum.without,
                    sum.done,
                    sum.calm.isEmpty() ? "–" : sum.calm.get(sum.calm.size() / 2),
                    sum.calm.isEmpty() ? "–" : sum.calm.get(sum.calm.size() - 1)));
        });
        return Files.write(folder.resolve("report.md"), lines);
    }
}
