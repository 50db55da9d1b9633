package org.pgbaton.bench;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
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
     * Builds the modules that are not built yet.
     *
     * @throws IllegalStateException if that fails
     */
    public void build(List<String> modules) throws InterruptedException {
        List<String> missing =
                modules.stream().filter(module -> !isBuilt(module)).toList();
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

    /**
     * As {@link #build}, but if one module cannot be built, the others still are. The missing one is reported when it
     * is needed.
     */
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

    /**
     * The class path for a program of {@code baton-bench} that runs a class of the module: with the classes of
     * {@code baton-bench}, and without its libraries.
     *
     * @throws IllegalStateException if it is not built
     */
    public String classPathWithPrograms(String module) {
        return classPath(module) + File.pathSeparator + ownClasses();
    }

    /** Where the classes of {@code baton-bench} are. */
    public static Path ownClasses() {
        try {
            return Path.of(Peers.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The libraries that a module uses, and those that they use. */
    public List<Path> jars(String module) {
        try (Stream<Path> jars = Files.list(target(module).resolve("lib"))) {
            return jars.toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Of a library that a module uses. */
    public String versionOf(String module, String artifact) {
        return jars(module).stream()
                .map(jar -> jar.getFileName().toString())
                .filter(jar -> jar.toLowerCase(Locale.ROOT).startsWith(artifact + "-"))
                .findFirst()
                .map(jar -> jar.substring(artifact.length() + 1).replace(".jar", ""))
                .orElse("?");
    }

    /** Whether it is built, and nothing has changed since. */
    private boolean isBuilt(String module) {
        return Files.isDirectory(target(module).resolve("lib"))
                && youngest(folder.resolve(module).resolve("src"))
                        <= youngest(target(module).resolve("classes"));
    }

    private static long youngest(Path place) {
        try (Stream<Path> files = Files.walk(place)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().lastModified())
                    .max()
                    .orElse(0);
        } catch (IOException unreadable) {
            return 0;
        }
    }

    private Path target(String module) {
        return folder.resolve(module).resolve("target");
    }
}
