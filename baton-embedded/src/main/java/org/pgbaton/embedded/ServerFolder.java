package org.pgbaton.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.pgbaton.embedded.machine.FileTree;
import org.pgbaton.embedded.machine.Launcher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of one server, and the names of what lies in it. Immutable.
 *
 * <pre>
 * data/          PostgreSQL's data directory; it appears in one step, complete
 * data.init-*    one that is being made, or was when its maker was killed
 * server.log     what the server says
 * *.lock         the locks of its users
 * pgpass         the superuser's password, if it needs one
 * </pre>
 *
 * @param root the folder, with symbolic links resolved
 */
record ServerFolder(Path root) {

    private static final Logger logger = LoggerFactory.getLogger(ServerFolder.class);

    /** Beginning of the name of a data directory that is not complete yet. */
    static final String UNFINISHED = "data.init-";

    private static final Set<String> OURS = Set.of(
            "server.log",
            "server.log.old",
            "start.lock",
            "users.lock",
            "owner.lock",
            "started-on",
            "pgpass",
            "pgpass.new",
            "password.new",
            "lost+found",
            ".DS_Store");

    /**
     * Makes the folder if it is not there.
     *
     * @throws EmbeddedPostgresException if it cannot be used, or is used for something else
     */
    static ServerFolder prepare(Path folder, Launcher launcher) {
        ServerFolder prepared;
        try {
            Files.createDirectories(folder);
            prepared = new ServerFolder(folder.toRealPath());
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot create the folder " + folder.toAbsolutePath() + " for the embedded PostgreSQL (" + e
                            + "): make its parent writable, or choose another folder.",
                    e);
        }
        if (!launcher.mayWrite(prepared.root)) {
            throw new EmbeddedPostgresException("The folder " + prepared.root
                    + " is not writable for PostgreSQL, which runs with the rights of this user (without root's special"
                    + " ones): change its owner or mode, or choose another folder.");
        }
        prepared.checkNothingElseIsThere();
        return prepared;
    }

    Path data() {
        return root.resolve("data");
    }

    Path log() {
        return root.resolve("server.log");
    }

    /** Who can read it is the superuser. Not there: everybody on this machine is. */
    Path passwordFile() {
        return root.resolve("pgpass");
    }

    boolean isInitialised() {
        return Files.exists(versionFile());
    }

    /** @throws EmbeddedPostgresException if the data directory belongs to another major version */
    void checkVersion(int needed) {
        String found;
        try {
            found = Files.readString(versionFile()).strip();
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot read " + versionFile() + " (" + e + "): make it readable for this user.", e);
        }
        if (!found.equals(Integer.toString(needed))) {
            throw new EmbeddedPostgresException("The data in " + root + " belong to PostgreSQL " + found
                    + ", but the embedded PostgreSQL is version " + needed
                    + ": choose another folder, or use the binaries of PostgreSQL " + found
                    + ", or dump with the old and restore into the new version.");
        }
    }

    /** Removes data directories that were never finished. */
    void deleteUnfinished() throws IOException {
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(root, UNFINISHED + "*")) {
            for (Path folder : unfinished) {
                FileTree.delete(folder);
            }
        }
    }

    /** Deletes the data and the log of a temporary server, as far as that is possible. */
    void deleteServer() {
        try {
            FileTree.delete(data());
            Files.deleteIfExists(log());
        } catch (IOException e) {
            logger.warn("The temporary replica in {} could not be deleted completely: {}", root, e.toString());
        }
    }

    private Path versionFile() {
        return data().resolve("PG_VERSION");
    }

    private void checkNothingElseIsThere() {
        if (isInitialised()) {
            return;
        }
        List<String> others = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root)) {
            for (Path entry : entries) {
                String name = FileTree.nameOf(entry);
                if (!OURS.contains(name) && !name.startsWith(UNFINISHED)) {
                    others.add(name);
                }
            }
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot read the folder " + root + " (" + e + "): make it readable for this user.", e);
        }
        // Another process may have finished the data directory while this one was looking.
        if (!others.isEmpty() && !isInitialised()) {
            Collections.sort(others);
            throw new EmbeddedPostgresException("The folder " + root + " contains something else ("
                    + String.join(", ", others.subList(0, Math.min(3, others.size())))
                    + (others.size() > 3 ? ", …" : "")
                    + ") and not the data of an embedded PostgreSQL: choose an empty or a new folder.");
        }
    }
}
