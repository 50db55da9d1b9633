package org.pgbaton.bench.capture;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.pgbaton.bench.Peers;

/**
 * The libraries that a contestant needs to capture changes. Not counted is what every program here has: the classes of
 * {@code baton-bench}, a logging library, and a connection pool that not all of them use.
 */
record Jars(int number, long bytes) {
    private static final List<String> OURS = List.of("baton-core-", "postgresql-", "slf4j-api-", "jspecify-");
    private static final List<String> NOBODYS = List.of("logback-", "slf4j-simple-", "HikariCP-");

    /** Baton's contestants run with no more than they need. */
    static String classPath() {
        List<String> needed = new ArrayList<>(List.of(Peers.ownClasses().toString()));
        onClassPath()
                .filter(jar -> startsWith(jar, OURS) || startsWith(jar, NOBODYS))
                .map(Path::toString)
                .forEach(needed::add);
        return String.join(File.pathSeparator, needed);
    }

    static Jars ofBaton() {
        return of(onClassPath().filter(jar -> startsWith(jar, OURS)).toList());
    }

    static Jars of(List<Path> jars) {
        List<Path> counted =
                jars.stream().filter(jar -> !startsWith(jar, NOBODYS)).toList();
        return new Jars(counted.size(), counted.stream().mapToLong(Jars::size).sum());
    }

    private static Stream<Path> onClassPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of);
    }

    private static boolean startsWith(Path jar, List<String> names) {
        String file = String.valueOf(jar.getFileName());
        return names.stream().anyMatch(file::startsWith);
    }

    private static long size(Path jar) {
        try {
            return Files.size(jar);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    String shown() {
        return String.format(Locale.ROOT, "%d, %.1f MB", number, bytes / 1e6);
    }
}
