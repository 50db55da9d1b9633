package org.pgbaton.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.pgbaton.embedded.machine.Interrupts;

/**
 * Tells whether other processes use a shared server.
 *
 * <p>Every process that does holds a shared lock on one file; the operating system frees it when the process dies. Who
 * gets an exclusive lock is therefore alone. All methods are called with the mutex of the server held, so nobody comes
 * or goes meanwhile. At most one of these per JVM and file, because closing it drops the locks of all.
 */
final class UsersLock {

    private final Path file;

    private final FileChannel channel;

    private @Nullable FileLock seat;

    private UsersLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    static UsersLock open(Path file) {
        try {
            return new UsersLock(
                    file,
                    Interrupts.setAside(() -> FileChannel.open(
                            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)));
        } catch (IOException e) {
            throw cannotLock(file, e);
        }
    }

    /** Whether no other process uses the server. This one's seat, if it has one, is given up. */
    boolean isNobodyElseThere() {
        try {
            return Interrupts.setAside(() -> {
                leaveSeat();
                FileLock alone = channel.tryLock(0, Long.MAX_VALUE, false);
                if (alone == null) {
                    return false;
                }
                alone.release();
                return true;
            });
        } catch (OverlappingFileLockException e) {
            // The channel stays open on purpose: closing it would drop the other one's lock.
            throw new EmbeddedPostgresException(
                    file
                            + " is locked by this very JVM, through another class loader: open the shared PostgreSQL only once.",
                    e);
        } catch (IOException e) {
            throw cannotLock(file, e);
        }
    }

    /** Lets others see that this process uses the server. */
    void takeSeat() {
        try {
            FileLock taken = Interrupts.<@Nullable FileLock>setAside(() -> channel.tryLock(0, Long.MAX_VALUE, true));
            if (taken == null) {
                throw new EmbeddedPostgresException(file + " is locked exclusively by another process,"
                        + " which is not Baton: see who it is with \"fuser " + file + "\" and end it.");
            }
            seat = taken;
        } catch (IOException e) {
            throw cannotLock(file, e);
        }
    }

    void close() {
        try {
            Interrupts.setAsideFor(channel::close);
        } catch (IOException e) {
            throw cannotLock(file, e);
        }
    }

    private void leaveSeat() throws IOException {
        FileLock taken = seat;
        if (taken != null) {
            taken.release();
            seat = null;
        }
    }

    private static EmbeddedPostgresException cannotLock(Path file, IOException e) {
        return new EmbeddedPostgresException(
                "Cannot lock " + file + " (" + e
                        + "): keep the data of the embedded PostgreSQL on a local disk that is writable for this user.",
                e);
    }
}
