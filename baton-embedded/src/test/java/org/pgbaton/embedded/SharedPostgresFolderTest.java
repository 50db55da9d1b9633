package org.pgbaton.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.embedded.machine.Launcher;

/** Folders that cannot be used, and what the user is told. */
class SharedPostgresFolderTest {

    @TempDir
    private Path temporary;

    @Test
    void dataOfAnotherMajorVersionAreRefused() throws IOException {
        Path folder = temporary.resolve("old");
        Files.createDirectories(folder.resolve("data"));
        Files.writeString(folder.resolve("data/PG_VERSION"), "9\n");

        assertThat(refusal(folder))
                .contains(folder.toRealPath().toString())
                .contains("belong to PostgreSQL 9,")
                .contains("is version " + Binaries.onClassPath().major() + ":")
                .contains("choose another folder");
        assertThat(folder.resolve("data")).isDirectoryContaining("glob:**/PG_VERSION");
    }

    @Test
    void aFolderThatContainsSomethingElseIsRefusedAndLeftAlone() throws IOException {
        Path letter = Files.writeString(temporary.resolve("letter.txt"), "Dear Sir");

        assertThat(refusal(temporary)).contains("contains something else (letter.txt)", "choose an empty or a new");
        assertThat(temporary).isDirectoryContaining(letter::equals);
        assertThat(temporary.toFile().list()).hasSize(1);
    }

    @Test
    void theDataDirectoryOfAnOrdinaryPostgresIsRefused() throws IOException {
        Files.writeString(
                temporary.resolve("PG_VERSION"), Binaries.onClassPath().major() + "\n");

        assertThat(refusal(temporary)).contains("contains something else (PG_VERSION)");
    }

    @Test
    void aFolderThatCannotBeMadeIsRefused() throws IOException {
        Path file = Files.createFile(temporary.resolve("file"));

        assertThat(refusal(file.resolve("below")))
                .contains("Cannot create the folder " + file.resolve("below"), "choose another folder");
        assertThat(refusal(file)).contains("Cannot create the folder " + file);
    }

    @Test
    void aFolderThatIsNotWritableIsRefused() throws IOException {
        assumeFalse(Launcher.isRoot(), "root may write everywhere");
        Path folder = Files.createDirectory(
                temporary.resolve("locked"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-xr-xr-x")));

        assertThat(refusal(folder)).contains(folder.toRealPath() + " is not writable for PostgreSQL");
    }

    @Test
    void aFolderThatRootDoesNotOwnIsExplainedToRoot() throws IOException {
        assumeTrue(Launcher.isRoot(), "only root loses its privileges");
        Path folder = Files.createDirectory(temporary.resolve("foreign"));
        Files.setAttribute(folder, "unix:uid", 12345);

        assertThat(refusal(folder))
                .contains(folder.toRealPath() + " is not writable for PostgreSQL", "without root's special ones");
    }

    @Test
    void theUsualPlacesAreUsed() {
        UserFolders plain = new UserFolders(Map.of(), "/home/ann", false);
        assertThat(plain.data()).isEqualTo(Path.of("/home/ann/.local/share/baton"));
        assertThat(plain.cache()).isEqualTo(Path.of("/home/ann/.cache/baton"));

        UserFolders xdg = new UserFolders(
                Map.of("XDG_DATA_HOME", "/data", "XDG_CACHE_HOME", "relative/is/ignored"), "/home/ann", false);
        assertThat(xdg.data()).isEqualTo(Path.of("/data/baton"));
        assertThat(xdg.cache()).isEqualTo(Path.of("/home/ann/.cache/baton"));

        UserFolders mac = new UserFolders(Map.of("XDG_DATA_HOME", "/data"), "/Users/ann", true);
        assertThat(mac.data()).isEqualTo(Path.of("/Users/ann/Library/Application Support/baton"));
        assertThat(mac.cache()).isEqualTo(Path.of("/Users/ann/Library/Caches/baton"));

        assertThat(SharedPostgres.defaultFolder()).isAbsolute().hasFileName("postgres");
    }

    @Test
    void withoutAHomeTheUserIsToldWhatToSet() {
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> new UserFolders(Map.of(), "?", false).data())
                .withMessageContaining("user.home is \"?\"")
                .withMessageContaining("XDG_DATA_HOME");
    }

    private static String refusal(Path folder) {
        return String.valueOf(assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> SharedPostgres.open(folder).close())
                .actual()
                .getMessage());
    }
}
