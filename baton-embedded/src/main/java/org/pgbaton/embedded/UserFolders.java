package org.pgbaton.embedded;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.embedded.machine.Platform;

/**
 * Where a user's data and caches belong: the XDG folders, or {@code ~/Library} on macOS.
 *
 * @param environment the process's environment variables
 * @param home the user's home, which Java does not always know
 * @param mac whether this is macOS
 */
record UserFolders(
        Map<String, String> environment, @Nullable String home, boolean mac) {

    static UserFolders current() {
        return new UserFolders(
                System.getenv(),
                System.getProperty("user.home"),
                Platform.current().isMac());
    }

    Path cache() {
        return mac
                ? inHome("Library/Caches/baton")
                : xdg("XDG_CACHE_HOME", ".cache").resolve("baton");
    }

    Path data() {
        return mac
                ? inHome("Library/Application Support/baton")
                : xdg("XDG_DATA_HOME", ".local/share").resolve("baton");
    }

    private Path xdg(String variable, String otherwise) {
        // The XDG specification: relative values are to be ignored.
        String value = environment.get(variable);
        return value != null && value.startsWith("/") ? Path.of(value) : inHome(otherwise);
    }

    private Path inHome(String relative) {
        // In a container without a passwd entry Java says "?".
        if (home == null || !home.startsWith("/")) {
            throw new EmbeddedPostgresException("The user's home folder is unknown (user.home is \"" + home
                    + "\"), so there is no place for the embedded PostgreSQL: set HOME, or XDG_CACHE_HOME and"
                    + " XDG_DATA_HOME, to folders that exist.");
        }
        return Path.of(home, relative);
    }
}
