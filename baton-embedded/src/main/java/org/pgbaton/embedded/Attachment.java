package org.pgbaton.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * This JVM's place among the users of a shared server, however often it has opened it.
 *
 * <p>All methods are called with the mutex of the server's folder held.
 */
final class Attachment {

    private static final Map<Path, Attachment> OF_THIS_JVM = new HashMap<>();

    private final Path root;

    private final UsersLock users;

    private int handles;

    private Attachment(Path root) {
        this.root = root;
        this.users = UsersLock.open(root.resolve("users.lock"));
    }

    /** Makes sure that the server runs, and counts one more who needs it. */
    static void join(ServerFolder folder, PostgresServer server) {
        Attachment known = find(folder.root());
        if (known != null) {
            server.start();
            known.handles++;
            return;
        }
        Attachment fresh = new Attachment(folder.root());
        boolean alone = fresh.users.isNobodyElseThere();
        try {
            fresh.startUnlessElsewhere(server, alone);
            fresh.users.takeSeat();
        } catch (RuntimeException e) {
            fresh.users.close();
            throw e;
        }
        fresh.handles = 1;
        synchronized (OF_THIS_JVM) {
            OF_THIS_JVM.put(folder.root(), fresh);
        }
    }

    /** Counts one less, and stops the server if that was the last on this machine. */
    static void leave(ServerFolder folder, PostgresServer server) {
        Attachment known = find(folder.root());
        if (known == null || --known.handles > 0) {
            return;
        }
        synchronized (OF_THIS_JVM) {
            OF_THIS_JVM.remove(folder.root());
        }
        try {
            if (known.users.isNobodyElseThere()) {
                server.close();
            }
        } finally {
            known.users.close();
        }
    }

    /**
     * Starts or finds the server. If others use it and its process cannot be seen, it has crashed, or it runs in another
     * container. In that case a second server would destroy the data of the first.
     */
    private void startUnlessElsewhere(PostgresServer server, boolean alone) {
        Path startedOn = root.resolve("started-on");
        String here = here();
        try {
            if (!server.isRunning()) {
                if (!alone
                        && Files.exists(startedOn)
                        && !Files.readString(startedOn).equals(here)) {
                    throw new EmbeddedPostgresException("The PostgreSQL in " + root
                            + " runs in another container or on another machine: stop what uses it there, or choose"
                            + " another folder, or give --database-url to use a PostgreSQL that both can reach.");
                }
                Files.writeString(startedOn, here);
            }
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot read or write " + startedOn + " (" + e + "): make it writable for this user.", e);
        }
        server.start();
    }

    /** Names the processes that see each other: this boot of this machine, and the container. */
    private static String here() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip() + " "
                    + Files.readSymbolicLink(Path.of("/proc/self/ns/pid"));
        } catch (IOException notLinux) {
            return "";
        }
    }

    private static @Nullable Attachment find(Path root) {
        synchronized (OF_THIS_JVM) {
            return OF_THIS_JVM.get(root);
        }
    }
}
