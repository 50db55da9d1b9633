package org.pgbaton.bench.arena;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** PostgreSQL's own client for benchmarks, in C: it costs so little that it shows what the server does. */
public final class Pgbench {
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");
    private static final Pattern TRANSACTIONS = Pattern.compile("number of transactions actually processed: (\\d+)");
    private static final Pattern FAILED = Pattern.compile("number of failed transactions: ([1-9]\\d*)");
    private static final Pattern RATE = Pattern.compile("tps = ([0-9.]+) ");

    private final Path program;

    private Pgbench(Path program) {
        this.program = program;
    }

    /** The one on the path, or the newest that Debian's packages have installed; null if there is none. */
    public static @Nullable Pgbench find() throws IOException {
        String path = System.getenv("PATH");
        List<Path> places = new ArrayList<>();
        for (String folder : (path == null ? "" : path).split(File.pathSeparator)) {
            places.add(Path.of(folder, "pgbench"));
        }
        if (Files.isDirectory(DEBIAN)) {
            try (Stream<Path> versions = Files.list(DEBIAN)) {
                versions.sorted(Comparator.comparingDouble(Pgbench::versionOf).reversed())
                        .forEach(version -> places.add(version.resolve("bin/pgbench")));
            }
        }
        return places.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .map(Pgbench::new)
                .orElse(null);
    }

    private static double versionOf(Path folder) {
        String name = folder.getFileName().toString();
        return name.matches("\\d+(\\.\\d+)?") ? Double.parseDouble(name) : 0;
    }

    public String version() throws IOException, InterruptedException {
        return said(Duration.ofSeconds(30), List.of(program.toString(), "--version"))
                .replaceAll("\\([^)]*\\)|pgbench", "")
                .strip();
    }

    /**
     * Runs twice: to warm up, and to be measured. Each connection compiles the trigger once, which counts.
     *
     * @param rows to an INSERT, which is a transaction
     * @param reader whose CPU time counts as Baton's; null if nobody reads
     */
    public Cost write(Arena arena, Place place, String table, int rows, @Nullable Player reader)
            throws IOException, InterruptedException {
        Path script = Files.createTempFile("baton-pgbench", ".sql");
        try {
            Files.writeString(script, script(table, rows));
            run(arena, place, script, (int) arena.sized(2, 1));
            long server = arena.serverCpu();
            long baton = reader == null ? 0 : reader.cpu();
            String report = run(arena, place, script, (int) arena.sized(4, 1));
            long written = Long.parseLong(found(TRANSACTIONS, report)) * rows;
            double perSecond = Double.parseDouble(found(RATE, report)) * rows;
            return Cost.of(
                    written,
                    (long) (written * 1e9 / perSecond),
                    arena.serverCpu() - server,
                    reader == null ? 0 : reader.cpu() - baton);
        } finally {
            Files.delete(script);
        }
    }

    static String script(String table, int rows) {
        StringBuilder script = new StringBuilder();
        StringBuilder values = new StringBuilder();
        for (int i = 1; i <= rows; i++) {
            script.append("\\set k")
                    .append(i)
                    .append(" random(0, ")
                    .append(Rows.KEYS - 1)
                    .append(")\n");
            values.append(i == 1 ? "" : ", ").append("('key-' || :k").append(i).append(", 'happened', :payload)");
        }
        return script.append("INSERT INTO ")
                .append(table)
                .append(" (key, type, payload) VALUES ")
                .append(values)
                .append(";\n")
                .toString();
    }

    private String run(Arena arena, Place place, Path script, int seconds) throws IOException, InterruptedException {
        String report = said(
                Duration.ofSeconds(seconds + 60L),
                List.of(
                        program.toString(),
                        "--no-vacuum",
                        "--protocol=prepared",
                        "--client=" + Rows.CLIENTS,
                        "--jobs=2",
                        "--time=" + seconds,
                        "--define=payload=" + Rows.PAYLOAD,
                        "--file=" + script,
                        "--host=127.0.0.1",
                        "--port=" + arena.server().port(),
                        "--username=postgres",
                        place.name()));
        if (FAILED.matcher(report).find()) {
            throw new IllegalStateException("pgbench says: " + report);
        }
        return report;
    }

    private static String found(Pattern what, String report) {
        Matcher matcher = what.matcher(report);
        if (!matcher.find()) {
            throw new IllegalStateException("pgbench says: " + report);
        }
        return matcher.group(1);
    }

    private static String said(Duration patience, List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("baton-pgbench", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("pgbench did not end within " + patience.toSeconds() + " s");
            }
            String text = Files.readString(output, StandardCharsets.UTF_8);
            if (process.exitValue() != 0) {
                throw new IllegalStateException("pgbench says: " + text);
            }
            return text;
        } finally {
            Files.delete(output);
        }
    }
}
