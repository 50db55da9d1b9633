package org.pgbaton.bench.capture;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** PostgreSQL's own client, which is not part of the embedded server. */
final class RecvLogical {
    private static final String NAME = "pg_recvlogical";
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

    private final Path program;

    private RecvLogical(Path program) {
        this.program = program;
    }

    /** The newest one that Debian has installed, or the one on the PATH. */
    static Optional<RecvLogical> find() throws IOException {
        Stream.Builder<Path> candidates = Stream.builder();
        if (Files.isDirectory(DEBIAN)) {
            try (Stream<Path> versions = Files.list(DEBIAN)) {
                versions.sorted((a, b) -> b.compareTo(a))
                        .map(version -> version.resolve("bin").resolve(NAME))
                        .forEach(candidates::add);
            }
        }
        String path = System.getenv("PATH");
        Stream.of((path == null ? "" : path).split(":", -1))
                .map(folder -> Path.of(folder, NAME))
                .forEach(candidates::add);
        return candidates.build().filter(Files::isExecutable).findFirst().map(RecvLogical::new);
    }

    /** Its own version line: {@code pg_recvlogical (PostgreSQL) 15.8 …}. */
    String version() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(program.toString(), "--version").start();
        process.waitFor();
        return said(process).replaceAll("(?s).*PostgreSQL\\) (\\S+).*", "$1").strip();
    }

    /** @return nanoseconds until it has read all */
    long drain(Wal wal, String slot, int seconds) throws IOException, InterruptedException {
        URI address = URI.create(wal.place().url().substring("jdbc:".length()));
        List<String> command = List.of(
                program.toString(),
                "--dbname=host=" + address.getHost() + " port=" + address.getPort() + " user=postgres dbname="
                        + wal.place().name(),
                "--slot=" + slot,
                "--start",
                "--no-loop",
                "--file=/dev/null",
                "--endpos=" + wal.end(),
                "--option=proto_version=1",
                "--option=publication_names=" + Wal.PUBLICATION);
        long begin = System.nanoTime();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            process.destroyForcibly().onExit().join();
            throw new IllegalStateException("pg_recvlogical did not come to the end within " + seconds + " s");
        }
        long end = System.nanoTime();
        if (process.exitValue() != 0) {
            throw new IllegalStateException("pg_recvlogical failed: " + said(process));
        }
        return end - begin;
    }

    private static String said(Process ended) throws IOException {
        return new String(ended.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
