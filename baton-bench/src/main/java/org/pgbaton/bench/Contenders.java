package org.pgbaton.bench;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Baton, and the peers from {@code baton-bench/peers}, which are built when they are first needed. */
final class Contenders {
    private final Path home;

    /** @param home the checkout */
    Contenders(Path home) {
        this.home = home;
    }

    static Contender baton() {
        return new Contender(
                "Baton", "lease 10 s", System.getProperty("java.class.path"), BatonContender.class.getName(), true);
    }

    List<Contender> peers() throws IOException, InterruptedException {
        Path folder = home.resolve("baton-bench/peers");
        if (!Files.isDirectory(folder.resolve("shedlock/target/lib"))) {
            System.err.println("Building the peers, only this once …");
            int exit = new ProcessBuilder(
                            "mvn", "-q", "-B", "-f", folder.resolve("pom.xml").toString(), "package")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException(
                        "The peers could not be built: run mvn -f baton-bench/peers/pom.xml package.");
            }
        }
        return List.of(
                peer(
                        folder,
                        "essentials",
                        "Essentials",
                        "EssentialsPeer",
                        "postgresql-distributed-fenced-lock",
                        "time-out 15 s, confirmed every 4 s (its starter's defaults)"),
                peer(
                        folder,
                        "spring-integration",
                        "Spring Integration",
                        "SpringIntegrationPeer",
                        "spring-integration-jdbc",
                        "LockRegistryLeaderInitiator, time-to-live 10 s, heartbeat 0.5 s"),
                peer(
                        folder,
                        "shedlock",
                        "ShedLock",
                        "ShedLockPeer",
                        "shedlock-provider-jdbc-template",
                        "keep-alive, lockAtMostFor 30 s, tried every second"));
    }

    private static Contender peer(
            Path folder, String module, String name, String mainClass, String artifact, String settings) {
        Path target = folder.resolve(module).resolve("target");
        String version = versionOf(target.resolve("lib"), artifact);
        return new Contender(
                name + " " + version,
                settings,
                target.resolve("classes") + File.pathSeparator + target.resolve("lib") + "/*",
                "org.pgbaton.bench.peers." + mainClass,
                false);
    }

    private static String versionOf(Path lib, String artifact) {
        try (Stream<Path> jars = Files.list(lib)) {
            List<String> names =
                    new ArrayList<>(jars.map(jar -> jar.getFileName().toString())
                            .filter(jar -> jar.toLowerCase(Locale.ROOT).startsWith(artifact + "-"))
                            .toList());
            return names.get(0).substring(artifact.length() + 1).replace(".jar", "");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
