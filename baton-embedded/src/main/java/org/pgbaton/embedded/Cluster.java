package org.pgbaton.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.pgbaton.embedded.machine.FileTree;
import org.pgbaton.embedded.machine.Interrupts;
import org.pgbaton.embedded.machine.Launcher;
import org.pgbaton.embedded.machine.ServerLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data directory in a server's folder and the process that serves it.
 *
 * <p>Everything there is to know lies in the folder and in the list of processes, nothing in this object: it does not
 * matter who started the server, nor whether he is still alive. Starting:
 *
 * <ol>
 *   <li>If {@code postmaster.pid} names a living server of this folder, wait until it has started or stopped.
 *   <li>If there is no data directory, make one under another name and rename it.
 *   <li>Write the configuration with a port and start. If the port is taken, take another; if sessions of a killed
 *       server are still at work, wait for them.
 * </ol>
 *
 * <p>Guarded: everybody needs a password, which is in a file of the folder. A server that trusted everybody gets one when it is
 * started next, before anybody can connect.
 *
 * <p>Stateless; callers see to it that only one of them starts or stops at a time.
 */
record Cluster(Programs programs, ServerFolder folder, boolean guarded) {

    private static final Logger log = LoggerFactory.getLogger(Cluster.class);

    private static final int PORT_ATTEMPTS = 20;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    private static final Duration BETWEEN_STARTS = Duration.ofMillis(300);

    /** A process that a killed server had just started has the server's port for a moment. */
    private static final Duration PORT_IS_LEFT = Duration.ofSeconds(2);

    /** What a copy of a data directory must not inherit from the original's server. */
    private static final Set<String> NOT_COPIED = Set.of("postmaster.pid", "postmaster.opts", ServerConfig.FILE);

    /** The server's process, if it is there. */
    Optional<PostmasterFile> postmaster() {
        return PostmasterFile.read(folder.data()).filter(PostmasterFile::isAlive);
    }

    /**
     * Starts the server unless it runs.
     *
     * @param fixedPort the port it must have, or 0 for that of the last time or any other
     * @return the port it has
     */
    int start(ServerConfig config, int fixedPort) {
        if (folder.isInitialised()) {
            folder.checkVersion(programs.major());
            OptionalInt running = awaitRunning();
            if (running.isPresent()) {
                return running.getAsInt();
            }
        }
        try {
            if (!folder.isInitialised()) {
                initialise(config.isDurable());
            } else if (guarded && Password.of(folder).isEmpty()) {
                convert();
            }
            int port = launch(config, fixedPort);
            log.info("PostgreSQL {} in {} started on port {}", programs.major(), folder.root(), port);
            return port;
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot prepare the PostgreSQL server in " + folder.root() + " (" + e
                            + "): make the folder writable for this user.",
                    e);
        }
    }

    void stop(StopMode mode) {
        if (postmaster().isEmpty()) {
            return;
        }
        Launcher.Outcome outcome = programs.stop(folder.data(), mode);
        if (!outcome.succeeded() && postmaster().isPresent()) {
            throw new EmbeddedPostgresException("The PostgreSQL server in " + folder.root() + " does not stop: see "
                    + folder.log() + ", and stop it with StopMode.IMMEDIATE.\n"
                    + outcome.output().strip());
        }
        log.info("PostgreSQL in {} stopped", folder.root());
    }

    void promote() {
        Launcher.Outcome outcome = programs.promote(folder.data());
        if (!outcome.succeeded()) {
            throw new EmbeddedPostgresException("The PostgreSQL server in " + folder.root()
                    + " cannot be promoted: it has to be a replica, and running.\n"
                    + outcome.output().strip());
        }
        log.info("PostgreSQL in {} promoted", folder.root());
    }

    /** Copies the data of this server, which is stopped, into the folder of a new replica. */
    void copyAsReplica(ServerFolder copy) {
        try {
            copy.deleteUnfinished();
            Path unfinished = copy.root().resolve(ServerFolder.UNFINISHED + "copy");
            FileTree.copy(folder.data(), unfinished, NOT_COPIED);
            Files.createFile(unfinished.resolve("standby.signal"));
            Files.move(unfinished, copy.data(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot copy the data of " + folder.root() + " into " + copy.root() + " (" + e
                            + "): make sure that it is writable and its disk not full.",
                    e);
        }
    }

    /**
     * Waits until a server that is starting or stopping has done so.
     *
     * @return its port if it accepts connections
     */
    private OptionalInt awaitRunning() {
        long deadline = System.nanoTime() + Programs.PATIENCE.toNanos();
        while (true) {
            Optional<PostmasterFile> found = PostmasterFile.read(folder.data());
            if (found.isEmpty()) {
                return OptionalInt.empty();
            }
            PostmasterFile file = found.get();
            if (file.isInTheWay()) {
                removeStale(file);
                return OptionalInt.empty();
            }
            boolean beingWritten = file.pid() == 0;
            if (!beingWritten && !file.isAlive()) {
                return OptionalInt.empty();
            }
            if (file.isReady()) {
                return OptionalInt.of(file.port());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new EmbeddedPostgresException("The PostgreSQL server in " + folder.root() + " (process "
                        + file.pid() + ") has been \"" + file.status() + "\" for more than "
                        + Programs.PATIENCE.toSeconds() + " seconds: see " + folder.log() + ", and try again later.");
            }
            Interrupts.pause(BETWEEN_LOOKS);
        }
    }

    private void removeStale(PostmasterFile file) {
        Path path = PostmasterFile.path(folder.data());
        log.warn(
                "{} names process {}, which is not (or no longer) the server of this folder: removed",
                path,
                file.pid());
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot delete the left-over " + path + " (" + e + "): make its folder writable.", e);
        }
    }

    private void initialise(boolean durable) throws IOException {
        folder.deleteUnfinished();
        Path fresh = Files.createTempDirectory(folder.root(), ServerFolder.UNFINISHED);
        String password = Password.random();
        Path passwordFile = guarded ? Password.forInitdb(folder, password) : null;
        Launcher.Outcome outcome = programs.initdb(fresh, durable, passwordFile);
        if (passwordFile != null) {
            Files.deleteIfExists(passwordFile);
        }
        if (!outcome.succeeded()) {
            FileTree.delete(fresh);
            // In containers with an arbitrary user, for example.
            boolean nameless = outcome.output().contains("could not look up effective user ID");
            throw new EmbeddedPostgresException("PostgreSQL's initdb failed in " + folder.root() + ": "
                    + (nameless
                            ? "it needs a user with an entry in /etc/passwd; add one, or run as a user who has one, or"
                                    + " give --database-url to use a PostgreSQL of your own."
                            : "correct what it says.")
                    + "\n" + outcome.output().strip());
        }
        ServerConfig.include(fresh);
        if (guarded) {
            Password.keep(folder, password);
        }
        Files.move(fresh, folder.data(), StandardCopyOption.ATOMIC_MOVE);
    }

    private void convert() throws IOException {
        String password = Password.random();
        Launcher.Outcome outcome = programs.setPassword(folder.data(), password);
        if (!outcome.succeeded() || outcome.output().contains("ERROR:")) {
            throw new EmbeddedPostgresException("The PostgreSQL server in " + folder.root()
                    + ", which trusted everybody on this machine, could not be given a password: correct what it says.\n"
                    + outcome.output().strip());
        }
        Password.keep(folder, password);
        log.info(
                "The PostgreSQL in {} trusted everybody on this machine; from now on it needs a password",
                folder.root());
    }

    private int launch(ServerConfig config, int fixedPort) throws IOException {
        int candidate = fixedPort != 0
                ? fixedPort
                : ServerConfig.portOfLastStart(folder.data()).orElseGet(FreePort::find);
        long left = System.nanoTime() + PORT_IS_LEFT.toNanos();
        while (fixedPort != 0 && !FreePort.isFree(fixedPort) && System.nanoTime() - left < 0) {
            Interrupts.pause(BETWEEN_LOOKS);
        }
        for (int attemptsLeft = PORT_ATTEMPTS; attemptsLeft > 0; attemptsLeft--) {
            OptionalInt running = FreePort.isFree(candidate) ? launchOn(candidate, config) : OptionalInt.empty();
            if (running.isPresent()) {
                return running.getAsInt();
            }
            if (fixedPort != 0) {
                throw new EmbeddedPostgresException(
                        "Port " + fixedPort + ", which the PostgreSQL server in " + folder.root()
                                + " should have, is taken by another process: end that, or choose another port.");
            }
            candidate = FreePort.find();
        }
        throw new EmbeddedPostgresException("Found no free port for the PostgreSQL server in " + folder.root() + " in "
                + PORT_ATTEMPTS + " attempts: see " + folder.log() + ".");
    }

    /** @return the port, or nothing if another process has taken it meanwhile */
    private OptionalInt launchOn(int port, ServerConfig config) throws IOException {
        config.write(folder.data(), port, guarded);
        ServerLog serverLog = new ServerLog(folder.log());
        long deadline = System.nanoTime() + Programs.PATIENCE.toNanos();
        while (true) {
            long before = serverLog.prepareStart();
            Launcher.Outcome outcome = programs.start(folder.data(), folder.log());
            // It may run although this start failed: a JVM that was killed may have started it a moment before.
            OptionalInt running = awaitRunning();
            if (running.isPresent()) {
                return running;
            }
            String lastLines = serverLog.lastLines(before);
            if (lastLines.contains("could not bind")) {
                return OptionalInt.empty();
            }
            // A killed server's sessions notice its death only when their statement ends.
            boolean orphans = lastLines.contains("pre-existing shared memory block");
            if (!orphans || System.nanoTime() - deadline > 0) {
                throw new EmbeddedPostgresException("The PostgreSQL server in " + folder.root()
                        + " did not start: correct what its log says (" + folder.log() + ").\n"
                        + (lastLines.isEmpty() ? outcome.output().strip() : lastLines));
            }
            Interrupts.pause(BETWEEN_STARTS);
        }
    }
}
