package org.pgbaton.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.embedded.machine.Interrupts;

/**
 * At most one thread of one process of this machine is inside {@link #holding} for a given file; the operating system
 * lets go when the process dies, however it dies.
 *
 * <ol>
 *   <li>Enter the monitor of this file in this JVM. It is an interned string, the one object that copies of this class
 *       in several class loaders share: closing a file drops <em>all</em> POSIX locks that the process has on it, so
 *       even those must not overlap.
 *   <li>Take the file lock; if another process has it, look again until the patience ends.
 *   <li>Work, unlock, leave. The file stays, because a deleted lock file is a second lock.
 * </ol>
 *
 * <p>Not reentrant.
 */
final class FileMutex {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    private FileMutex() {}

    static void holding(Path file, Duration patience, Runnable work) {
        synchronized (monitorOf(file)) {
            try (FileChannel channel = Interrupts.setAside(
                    () -> FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE))) {
                FileLock lock = await(channel, file, patience);
                try {
                    work.run();
                } finally {
                    Interrupts.setAsideFor(lock::release);
                }
            } catch (IOException e) {
                throw new EmbeddedPostgresException(
                        "Cannot lock " + file + " (" + e + "): make its folder writable for this user.", e);
            }
        }
    }

    private static FileLock await(FileChannel channel, Path file, Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            FileLock lock = tryExclusive(channel);
            if (lock != null) {
                return lock;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new EmbeddedPostgresException("Another process has kept " + file + " locked for more than "
                        + patience.toSeconds() + " seconds: see who it is with \"fuser " + file + "\" and end it.");
            }
            Interrupts.pause(BETWEEN_LOOKS);
        }
    }

    private static @Nullable FileLock tryExclusive(FileChannel channel) throws IOException {
        try {
            return Interrupts.<@Nullable FileLock>setAside(channel::tryLock);
        } catch (OverlappingFileLockException heldByThisJvm) {
            return null;
        }
    }

    private static Object monitorOf(Path file) {
        return ("org.pgbaton.embedded " + file.toAbsolutePath()).intern();
    }
}
