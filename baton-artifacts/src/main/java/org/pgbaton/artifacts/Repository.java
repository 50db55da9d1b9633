package org.pgbaton.artifacts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One version of all artifacts in a folder that has the layout of a Maven repository. Thread-safe: read once, never changed. */
final class Repository {
    /** What Maven puts in the place of SNAPSHOT: time and number of the build. */
    private static final Pattern BUILD = Pattern.compile("-\\d{8}\\.\\d{6}-\\d+");

    private final Path folder;
    private final String version;
    private final NavigableMap<String, Pom> poms;

    private Repository(Path folder, String version, NavigableMap<String, Pom> poms) {
        this.folder = folder;
        this.version = version;
        this.poms = poms;
    }

    /** @throws IOException if it cannot be read, or an artifact is there twice */
    static Repository read(Path folder, String version) throws IOException {
        NavigableMap<String, Pom> poms = new TreeMap<>();
        for (Path file : files(folder)) {
            if (file.toString().endsWith(".pom") && isOf(version, file)) {
                Pom pom = Pom.read(file);
                Pom other = poms.put(pom.artifactId(), pom);
                if (other != null) {
                    throw new IOException(pom.artifactId() + " is there twice, as " + other.file() + " and as " + file
                            + ": deploy into an empty folder");
                }
            }
        }
        return new Repository(folder, version, poms);
    }

    private static boolean isOf(String version, Path file) {
        Path folder = file.getParent();
        return folder != null && folder.endsWith(version);
    }

    Path folder() {
        return folder;
    }

    Map<String, Pom> poms() {
        return poms;
    }

    /** The POM of the parent, if the folder has it. */
    Optional<Pom> parent(Pom pom) {
        return pom.parent().map(poms::get);
    }

    /** The first text at this path, of the POM or of its parents. */
    Optional<String> inherited(Pom pom, String path) {
        return pom.text(path).or(() -> parent(pom).flatMap(parent -> inherited(parent, path)));
    }

    /** A text of the POM with all placeholders that the POM or its parents know. */
    String resolved(Pom pom, String text) {
        String before = "";
        String now = text;
        // A property may be made of others; one that is made of itself ends as it began.
        for (int depth = 0; depth < 10 && !now.equals(before); depth++) {
            before = now;
            now = pom.resolved(now, name -> inherited(pom, "properties/" + name));
        }
        return now;
    }

    /** All files beside a POM. */
    static List<Path> beside(Pom pom) throws IOException {
        try (Stream<Path> files = Files.list(pom.file().resolveSibling("."))) {
            return files.map(Path::normalize)
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
    }

    /** The name of a POM's file without its ending: what the names of all other files of the artifact begin with. */
    static String stem(Pom pom) {
        String name = pom.file().getFileName().toString();
        return name.substring(0, name.length() - ".pom".length());
    }

    /** What was built, without what the deployment adds to it: by name, a snapshot's build being left out of the name. */
    NavigableMap<String, Path> products() throws IOException {
        NavigableMap<String, Path> products = new TreeMap<>();
        for (Path file : files(folder)) {
            String name = folder.relativize(file).toString();
            if (!name.matches(".*\\.(md5|sha1|sha256|sha512|asc)")
                    && !name.contains("maven-metadata")
                    && isOf(version, file)) {
                products.put(BUILD.matcher(name).replaceAll("-SNAPSHOT"), file);
            }
        }
        return products;
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
