package org.pgbaton.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The superuser's password of a server, in a file that only its owner can read, in the form that psql and other programs read
 * ({@code PGPASSFILE}). It appears in one step, when the server has the password. Stateless.
 */
final class Password {
    private static final String BEFORE = "127.0.0.1:*:*:postgres:";

    private Password() {}

    static String random() {
        byte[] bytes = new byte[24];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Nothing, if the server trusts everybody on this machine. */
    static Optional<String> of(ServerFolder folder) {
        Path file = folder.passwordFile();
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            String line = Files.readString(file).strip();
            return Optional.of(line.substring(line.lastIndexOf(':') + 1));
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot read " + file + " (" + e
                            + "), which has the password of the embedded PostgreSQL: make it readable for this"
                            + " user, and nobody else.",
                    e);
        }
    }

    static void keep(ServerFolder folder, String password) throws IOException {
        Path fresh = write(folder, "pgpass.new", BEFORE + password + "\n");
        Files.move(fresh, folder.passwordFile(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** A file for initdb, to be deleted by the caller. */
    static Path forInitdb(ServerFolder folder, String password) throws IOException {
        return write(folder, "password.new", password + "\n");
    }

    private static Path write(ServerFolder folder, String name, String content) throws IOException {
        Path file = folder.root().resolve(name);
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.write(file, content.getBytes(StandardCharsets.UTF_8));
    }
}
