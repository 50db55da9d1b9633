package org.pgbaton.proofs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The size of packages, and who imports whom, in every module. Read from the sources, as a reader finds them. */
class PackagesTest {
    /** A package as large as that has a second idea in it. */
    private static final int MOST_FILES = 30;

    private static final int MOST_LINES = 2_500;

    private static final Pattern IMPORT = Pattern.compile("import (?:static )?([a-z0-9_.]+)\\.[A-Z].*");

    static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(Path.of(".."))) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve("src/main/java")))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("modules")
    void noPackageIsOverfull(Path module) throws IOException {
        for (Map.Entry<String, List<Path>> each : packages(module).entrySet()) {
            long lines = 0;
            for (Path file : each.getValue()) {
                lines += Files.readAllLines(file).size();
            }
            assertThat(each.getValue()).as("files of " + each.getKey()).hasSizeLessThanOrEqualTo(MOST_FILES);
            assertThat(lines).as("lines of " + each.getKey()).isLessThanOrEqualTo(MOST_LINES);
        }
    }

    /** Whoever imports nobody is taken away, again and again. Those that are left import each other in a circle. */
    @ParameterizedTest
    @MethodSource("modules")
    void packagesDoNotImportEachOtherInACircle(Path module) throws IOException {
        Map<String, Set<String>> left = new TreeMap<>();
        Map<String, List<Path>> packages = packages(module);
        for (Map.Entry<String, List<Path>> each : packages.entrySet()) {
            Set<String> imported = imported(each.getValue());
            imported.retainAll(packages.keySet());
            imported.remove(each.getKey());
            left.put(each.getKey(), imported);
        }
        Set<String> free = new TreeSet<>();
        do {
            free.clear();
            left.forEach((name, imported) -> {
                if (imported.isEmpty()) {
                    free.add(name);
                }
            });
            left.keySet().removeAll(free);
            left.values().forEach(imported -> imported.removeAll(free));
        } while (!free.isEmpty());
        assertThat(left).isEmpty();
    }

    private static Set<String> imported(List<Path> files) throws IOException {
        Set<String> imported = new TreeSet<>();
        for (Path file : files) {
            for (String line : Files.readAllLines(file)) {
                var matcher = IMPORT.matcher(line);
                if (matcher.matches()) {
                    imported.add(matcher.group(1));
                }
            }
        }
        return imported;
    }

    private static Map<String, List<Path>> packages(Path module) throws IOException {
        Path root = module.resolve("src/main/java");
        Map<String, List<Path>> packages = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            files.filter(file -> file.toString().endsWith(".java"))
                    .forEach(file -> packages.computeIfAbsent(
                                    root.relativize(file.getParent()).toString().replace('/', '.'),
                                    name -> new ArrayList<>())
                            .add(file));
        }
        return packages;
    }
}
