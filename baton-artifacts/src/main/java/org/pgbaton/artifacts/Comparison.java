package org.pgbaton.artifacts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/** Whether two builds gave the same bytes; and if not, which entries of a jar differ. */
final class Comparison {
    private Comparison() {}

    static List<String> problems(Repository one, Repository other) throws IOException {
        Map<String, Path> first = one.products();
        Map<String, Path> second = other.products();
        List<String> problems = new ArrayList<>();
        TreeSet<String> names = new TreeSet<>(first.keySet());
        names.addAll(second.keySet());
        for (String name : names) {
            Path here = first.get(name);
            Path there = second.get(name);
            if (here == null || there == null) {
                problems.add(name + " is only in " + (here == null ? other : one).folder());
            } else if (Files.mismatch(here, there) >= 0) {
                problems.add(name + " differs between the two builds" + inside(name, here, there));
            }
        }
        return problems;
    }

    private static String inside(String name, Path here, Path there) throws IOException {
        if (!name.endsWith(".jar")) {
            return "";
        }
        NavigableMap<String, Long> first = entries(here);
        NavigableMap<String, Long> second = entries(there);
        TreeSet<String> differing = new TreeSet<>();
        first.forEach((entry, crc) -> {
            if (!crc.equals(second.get(entry))) {
                differing.add(entry);
            }
        });
        second.forEach((entry, crc) -> {
            if (!first.containsKey(entry)) {
                differing.add(entry);
            }
        });
        return differing.isEmpty() ? ": the order or the times of its entries" : ": " + differing;
    }

    private static NavigableMap<String, Long> entries(Path jar) throws IOException {
        NavigableMap<String, Long> entries = new TreeMap<>();
        try (JarFile file = new JarFile(jar.toFile())) {
            for (ZipEntry entry : file.stream().toList()) {
                entries.put(entry.getName(), entry.getCrc());
            }
        }
        return entries;
    }
}
