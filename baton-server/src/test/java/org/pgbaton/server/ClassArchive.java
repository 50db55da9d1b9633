package org.pgbaton.server;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The libraries' classes, read and verified once and then mapped into each JVM that a test starts: most of them live for a second. An
 * archive can only be of jars, so these come first on the class path, and our own folders of classes after them.
 */
final class ClassArchive {
    private static final ClassArchive SHARED = new ClassArchive();

    private final String jars = entries(true);
    private final String folders = entries(false);
    private final List<String> options;

    private ClassArchive() {
        List<String> made = List.of();
        try {
            Path folder = Files.createTempDirectory("classes-");
            folder.toFile().deleteOnExit();
            Path list = folder.resolve("list");
            Path archive = folder.resolve("archive.jsa");
            list.toFile().deleteOnExit();
            archive.toFile().deleteOnExit();
            if (java("-XX:DumpLoadedClassList=" + list, "-cp", classPath(), Main.class.getName(), "warm-up") == 0
                    && java(
                                    "-Xshare:dump",
                                    "-XX:SharedClassListFile=" + list,
                                    "-XX:SharedArchiveFile=" + archive,
                                    "-cp",
                                    jars)
                            == 0) {
                made = List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds*=off");
            }
        } catch (IOException notThisTime) {
            // Slower, and nothing else.
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
        options = made;
    }

    /** What a JVM needs to be told, the class path among it. */
    static List<String> javaOptions() {
        List<String> all = new ArrayList<>(SHARED.options);
        all.addAll(List.of("-cp", SHARED.classPath()));
        return all;
    }

    private String classPath() {
        return jars + File.pathSeparator + folders;
    }

    private static String entries(boolean jars) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar") == jars)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static int java(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
