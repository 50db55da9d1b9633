package org.pgbaton.artifacts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/**
 * What lies beside a POM: the jar, its sources, its Javadoc and its bill of materials, each with its checksums, and with a
 * signature if signatures are wanted.
 */
final class FileRules {
    private static final Map<String, String> CHECKSUMS = Map.of(".md5", "MD5", ".sha1", "SHA-1");

    private final boolean signed;

    /** @param signed whether every file needs a signature */
    FileRules(boolean signed) {
        this.signed = signed;
    }

    List<String> problems(Pom pom) throws IOException {
        List<String> problems = new ArrayList<>();
        String stem = Repository.stem(pom);
        Set<String> names = new TreeSet<>();
        for (Path file : Repository.beside(pom)) {
            names.add(file.getFileName().toString());
        }
        if (!pom.packaging().equals("pom")) {
            for (String ending : List.of(".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json")) {
                if (!names.contains(stem + ending)) {
                    problems.add(pom.artifactId() + ": there is no " + stem + ending);
                }
            }
            Path folder = pom.file().resolveSibling(".").normalize();
            mustContain(folder.resolve(stem + ".jar"), ".class", problems);
            mustContain(folder.resolve(stem + ".jar"), "META-INF/MANIFEST.MF", problems);
            mustContain(folder.resolve(stem + "-sources.jar"), ".java", problems);
            mustContain(folder.resolve(stem + "-javadoc.jar"), "index.html", problems);
        }
        for (Path file : Repository.beside(pom)) {
            String name = file.getFileName().toString();
            if (name.startsWith(stem) && !name.matches(".*\\.(md5|sha1|asc)")) {
                problemsOf(file, names, problems);
            }
        }
        return problems;
    }

    private void problemsOf(Path file, Set<String> names, List<String> problems) throws IOException {
        String name = file.getFileName().toString();
        for (var checksum : CHECKSUMS.entrySet()) {
            Path beside = file.resolveSibling(name + checksum.getKey());
            if (!Files.exists(beside)) {
                problems.add(name + " has no " + checksum.getKey());
            } else if (!Files.readString(beside).strip().equals(digest(file, checksum.getValue()))) {
                problems.add(name + " is another file than its " + checksum.getKey() + " is of");
            }
        }
        if (signed && !names.contains(name + ".asc")) {
            problems.add(name + " has no signature");
        }
    }

    private static void mustContain(Path jar, String ending, List<String> problems) throws IOException {
        if (!Files.exists(jar)) {
            return;
        }
        try (JarFile entries = new JarFile(jar.toFile())) {
            if (entries.stream().map(ZipEntry::getName).noneMatch(name -> name.endsWith(ending))) {
                problems.add(jar.getFileName() + " contains no " + ending);
            }
        }
    }

    static String digest(Path file, String algorithm) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has " + algorithm, e);
        }
    }
}
