package org.pgbaton.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgbaton.embedded.machine.FileTree;
import org.pgbaton.embedded.machine.Interrupts;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary folder that dies with its JVM, or soon after.
 *
 * <p>The JVM holds a lock in the folder. Whoever makes the next throw-away folder on this machine finds those whose
 * lock is free, because their JVM was killed, and clears them away.
 *
 * <ol>
 *   <li>A folder gets its lock under another name and only then the name that is searched for.
 *   <li>The name contains the process's number, and nobody tries the locks of his own folders: closing the file
 *       afterwards would free the lock.
 * </ol>
 */
final class ThrowawayFolder {

    private static final Logger log = LoggerFactory.getLogger(ThrowawayFolder.class);

    private static final String PREFIX = "baton-throwaway-";

    private static final String LOCK = "owner.lock";

    private static final AtomicBoolean CLEARED = new AtomicBoolean();

    private final Path path;

    private final FileChannel lock;

    private ThrowawayFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    static ThrowawayFolder create() {
        try {
            Path unnamed = Files.createTempDirectory("baton-");
            FileChannel lock = Interrupts.setAside(() -> {
                FileChannel channel = FileChannel.open(
                        unnamed.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                channel.lock();
                return channel;
            });
            Path named = unnamed.resolveSibling(
                    ownPrefix() + FileTree.nameOf(unnamed).substring("baton-".length()));
            return new ThrowawayFolder(Files.move(unnamed, named, StandardCopyOption.ATOMIC_MOVE), lock);
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot create a temporary folder for PostgreSQL (" + e
                            + "): make the folder of java.io.tmpdir writable, or set it to another.",
                    e);
        }
    }

    Path path() {
        return path;
    }

    void delete() {
        try {
            FileTree.delete(path);
            Interrupts.setAsideFor(lock::close);
        } catch (IOException e) {
            log.warn("The temporary folder {} could not be deleted completely: {}", path, e.toString());
        }
    }

    /** Once per JVM: stops and deletes what killed JVMs left behind. */
    static void clearAwayTheAbandoned(Consumer<Path> stopServer) {
        if (!CLEARED.compareAndSet(false, true)) {
            return;
        }
        Path temporary = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, PREFIX + "*")) {
            for (Path folder : folders) {
                if (!FileTree.nameOf(folder).startsWith(ownPrefix())) {
                    clearAwayIfAbandoned(folder, stopServer);
                }
            }
        } catch (IOException e) {
            log.debug("Cannot search {} for abandoned servers: {}", temporary, e.toString());
        }
    }

    private static void clearAwayIfAbandoned(Path folder, Consumer<Path> stopServer) {
        try (FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE)) {
            @Nullable FileLock free = channel.tryLock();
            if (free != null) {
                log.info("Clearing away {}, whose JVM was killed", folder);
                stopServer.accept(folder);
                FileTree.delete(folder);
            }
        } catch (IOException | EmbeddedPostgresException e) {
            // Another user's, or somebody else clears it away at the same moment.
            log.debug("{} stays: {}", folder, e.toString());
        }
    }

    private static String ownPrefix() {
        return PREFIX + ProcessHandle.current().pid() + "-";
    }
}
