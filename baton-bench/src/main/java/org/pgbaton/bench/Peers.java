package org.pgbaton.bench;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The modules of {@code baton-bench/peers}: each has a class path of its own, and is built when it is first needed. */
public final class Peers {
    private final Path folder;

    /** @param home the checkout */
    public Peers(Path home) {
        this.folder = home.resolve("baton-bench/peers");
    }

    /**
     * Builds what is not there yet.
     *
     * @throws IllegalStateException if that fails
     */
    public void build(List<String> modules) throws InterruptedException {
        List<String> missing = modules.stream()
                .filter(module -> !Files.isDirectory(target(module).resolve("lib")))
                .toList();
        if (missing.isEmpty()) {
            return;
        }
        System.err.println("Building the peers, only this once: " + String.join(", ", missing) + " …");
        try {
            int exit = new ProcessBuilder(
                            "mvn",
                            "-q",
                            "-B",
                            "-ntp",
                            "-f",
                            folder.resolve("pom.xml").toString(),
                            "-pl",
                            String.join(",", missing),
                            "package")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw notBuilt(String.join(",", missing));
            }
        } catch (IOException noMaven) {
            throw new IllegalStateException("not built: there is no Maven on the PATH", noMaven);
        }
    }

    private static IllegalStateException notBuilt(String modules) {
        return new IllegalStateException("not built: see mvn -f baton-bench/peers/pom.xml -pl " + modules + " package");
    }

    /** As {@link #build}, but one that cannot be built does not keep the others from it: it is missed when it is to play. */
    public void buildWhatIsMissing(List<String> modules) throws InterruptedException {
        for (String module : modules) {
            try {
                build(List.of(module));
            } catch (IllegalStateException failed) {
                System.err.println(module + " was " + failed.getMessage());
            }
        }
    }

    /** @throws IllegalStateException if it is not built */
    public String classPath(String module) {
        if (!Files.isDirectory(target(module).resolve("lib"))) {
            throw notBuilt(module);
        }
        return target(module).resolve("classes") + File.pathSeparator
                + target(module).resolve("lib") + "/*";
    }

    /** Of a library that a module uses. */
    public String versionOf(String module, String artifact) {
        try (Stream<Path> jars = Files.list(target(module).resolve("lib"))) {
            return jars.map(jar -> jar.getFileName().toString())
                    .filter(jar -> jar.toLowerCase(Locale.ROOT).startsWith(artifact + "-"))
                    .findFirst()
                    .map(jar -> jar.substring(artifact.length() + 1).replace(".jar", ""))
                    .orElse("?");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private Path target(String module) {
        return folder.resolve(module).resolve("target");
    }
}
