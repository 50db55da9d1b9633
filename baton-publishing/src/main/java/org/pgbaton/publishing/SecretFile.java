package org.pgbaton.publishing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that holds a password or a token. It is read anew at every connect, so that it can be changed. */
public final class SecretFile {
    private SecretFile() {}

    /**
     * Refuses a file that cannot be read.
     *
     * @param what for the error: {@code password file}
     * @throws IllegalArgumentException if the file cannot be read
     */
    public static Path checked(String what, Path file) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new IllegalArgumentException("The " + what + " " + file + " cannot be read.");
        }
        return file;
    }

    /** Without the line break at its end. */
    public static String read(Path file) throws IOException {
        return Files.readString(file).replaceFirst("\\R\\z", "");
    }
}
