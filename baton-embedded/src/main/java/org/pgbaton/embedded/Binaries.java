package org.pgbaton.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.embedded.machine.Archive;
import org.pgbaton.embedded.machine.FileTree;
import org.pgbaton.embedded.machine.Launcher;
import org.pgbaton.embedded.machine.Manifest;
import org.pgbaton.embedded.machine.Platform;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * PostgreSQL's programs, unpacked from the class path into the user's cache.
 *
 * <p>The folder is named after the archive's checksum and size, so versions do not mix, and every process that gets a
 * {@code Binaries} sees all of its files, whatever happened to other processes before or meanwhile:
 *
 * <ol>
 *   <li>If the folder is there and every file is as its {@linkplain Manifest manifest} says, use it.
 *   <li>Otherwise take the lock beside it and look again: another process may just have finished.
 *   <li>Throw away what killed processes left, unpack into a new sibling, write the manifest, rename.
 * </ol>
 *
 * <p>Immutable and thread-safe.
 */
final class Binaries {

    private static final Logger log = LoggerFactory.getLogger(Binaries.class);

    private static final Duration UNPACK_PATIENCE = Duration.ofMinutes(3);

    private static final Pattern VERSION = Pattern.compile("PostgreSQL\\) (\\d+)");

    private static final Object ONCE = new Object();

    private static @Nullable Binaries ofThisJvm;

    private final Path folder;

    private final int major;

    private Binaries(Path folder, int major) {
        this.folder = folder;
        this.major = major;
    }

    /** The binaries of the class path, unpacked if they are not yet. */
    static Binaries onClassPath() {
        synchronized (ONCE) {
            Binaries known = ofThisJvm;
            if (known == null || !Manifest.holdsFor(known.folder)) {
                known = unpacked(
                        find(Platform.current(), Binaries.class.getClassLoader()),
                        UserFolders.current().cache());
                ofThisJvm = known;
            }
            return known;
        }
    }

    /** @throws EmbeddedPostgresException if there is no archive for this platform, or more than one */
    static URL find(Platform platform, ClassLoader loader) {
        Set<String> found = new LinkedHashSet<>();
        List<URL> archives = new ArrayList<>();
        try {
            for (URL url : (Iterable<URL>) loader.resources(platform.resource())::iterator) {
                if (found.add(url.toString())) {
                    archives.add(url);
                }
            }
        } catch (UncheckedIOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot search the class path for " + platform.resource() + ": " + e, e);
        }
        if (archives.size() == 1) {
            return archives.get(0);
        }
        if (archives.size() > 1) {
            throw new EmbeddedPostgresException(
                    "The class path has more than one embedded PostgreSQL, " + found + ": keep one of these jars.");
        }
        throw new EmbeddedPostgresException(platform.artifact()
                .map(artifact -> "There is no embedded PostgreSQL for this platform (" + platform
                        + ") on the class path: add the artifact " + artifact
                        + ", or give --database-url to use a PostgreSQL of your own.")
                .orElseGet(() -> "There is no embedded PostgreSQL for this platform (" + platform
                        + "): give --database-url to use a PostgreSQL of your own."));
    }

    static Binaries unpacked(URL archive, Path cache) {
        Path folder = null;
        try {
            folder = cache.resolve("postgresql-" + identity(archive));
            if (!Manifest.holdsFor(folder)) {
                Files.createDirectories(cache);
                unpack(archive, folder);
            }
            return new Binaries(folder, majorOf(folder));
        } catch (IOException | UncheckedIOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot unpack the embedded PostgreSQL into " + (folder == null ? cache : folder) + " (" + e
                            + "): make the folder writable, or set XDG_CACHE_HOME to one that is.",
                    e);
        }
    }

    Path program(String name) {
        return folder.resolve("bin").resolve(name);
    }

    /** The major version, such as 17. */
    int major() {
        return major;
    }

    /** Checksum and size, which a jar already knows: every start needs them, and reading it all takes half a second. */
    private static String identity(URL archive) throws IOException {
        URLConnection connection = archive.openConnection();
        if (connection instanceof JarURLConnection jar) {
            JarEntry entry = jar.getJarEntry();
            if (entry != null && entry.getCrc() >= 0 && entry.getSize() >= 0) {
                return identity(entry.getCrc(), entry.getSize());
            }
        }
        CheckedInputStream in = new CheckedInputStream(connection.getInputStream(), new CRC32());
        try (in) {
            long size = in.transferTo(OutputStream.nullOutputStream());
            return identity(in.getChecksum().getValue(), size);
        }
    }

    private static String identity(long checksum, long size) {
        return String.format(Locale.ROOT, "%08x-%d", checksum, size);
    }

    private static void unpack(URL archive, Path folder) {
        Path lock = folder.resolveSibling(FileTree.nameOf(folder) + ".lock");
        FileMutex.holding(lock, UNPACK_PATIENCE, () -> {
            try {
                if (!Manifest.holdsFor(folder)) {
                    unpackHoldingTheLock(archive, folder);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static void unpackHoldingTheLock(URL archive, Path folder) throws IOException {
        Path cache = folder.toAbsolutePath().getParent();
        String temporary = FileTree.nameOf(folder) + ".tmp-";
        try (DirectoryStream<Path> leftBehind = Files.newDirectoryStream(cache, temporary + "*")) {
            for (Path folderOfTheDead : leftBehind) {
                FileTree.delete(folderOfTheDead);
            }
        }
        requireTheSameArchive(archive, folder);
        log.info("Unpacking PostgreSQL into {}", folder);
        Path fresh = Files.createTempDirectory(cache, temporary);
        try (InputStream content = archive.openStream()) {
            Manifest.write(fresh, Archive.unpack(content, fresh));
        }
        if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            Path trash = Files.createTempDirectory(cache, temporary);
            Files.move(folder, trash.resolve("damaged"), StandardCopyOption.ATOMIC_MOVE);
            FileTree.delete(trash);
        }
        Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Checksum and size name the folder; that an archive of that name is the one that was unpacked first, its digest tells. */
    private static void requireTheSameArchive(URL archive, Path folder) throws IOException {
        MessageDigest sha256 = Manifest.sha256();
        try (InputStream content = new DigestInputStream(archive.openStream(), sha256)) {
            content.transferTo(OutputStream.nullOutputStream());
        }
        String digest = HexFormat.of().formatHex(sha256.digest());
        Path record = folder.resolveSibling(FileTree.nameOf(folder) + ".sha256");
        if (!Files.exists(record)) {
            Files.writeString(record, digest + "\n");
        } else if (!Files.readString(record).strip().equals(digest)) {
            throw new EmbeddedPostgresException("The embedded PostgreSQL on the class path has the SHA-256 " + digest
                    + ", and the one that was unpacked into " + folder
                    + " before, under the same checksum, had another (see " + record
                    + "): find out which jar was tampered with; if it was the old one, delete that file.");
        }
    }

    private static int majorOf(Path folder) {
        Path postgres = folder.resolve("bin").resolve("postgres");
        // Telling the version is the one thing that it does for root, too.
        Launcher.Outcome version =
                Launcher.direct().run(Duration.ofSeconds(20), List.of(postgres.toString(), "--version"));
        Matcher matcher = VERSION.matcher(version.output());
        if (!version.succeeded() || !matcher.find()) {
            throw new EmbeddedPostgresException("The embedded PostgreSQL in " + folder
                    + " does not run on this machine ("
                    + version.output().strip() + "): if its file system forbids programs (noexec), set XDG_CACHE_HOME"
                    + " to a folder on another, or give --database-url to use a PostgreSQL of your own.");
        }
        return Integer.parseInt(matcher.group(1));
    }
}
