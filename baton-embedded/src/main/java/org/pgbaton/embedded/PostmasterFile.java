package org.pgbaton.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What {@code postmaster.pid} says about the server of a data directory, compared with the processes there are.
 *
 * <p>The file outlives a server that was killed, and after a reboot its number may be anybody's. So it counts only
 * if the process is a PostgreSQL whose working directory is the data directory. Immutable.
 *
 * @param pid the process, 0 if the file is empty
 * @param port the TCP port, 0 if not written yet
 * @param status {@code starting}, {@code ready}, {@code standby}, {@code stopping}, or empty
 */
record PostmasterFile(Path dataDirectory, long pid, int port, String status, Instant written) {

    private static final int PID_LINE = 0;

    private static final int PORT_LINE = 3;

    private static final int STATUS_LINE = 7;

    private static final Duration LONGEST_START_OF_WRITING = Duration.ofSeconds(10);

    static Optional<PostmasterFile> read(Path dataDirectory) {
        Path file = path(dataDirectory);
        try {
            List<String> lines = Files.readAllLines(file, StandardCharsets.ISO_8859_1);
            return Optional.of(new PostmasterFile(
                    dataDirectory,
                    number(lines, PID_LINE),
                    (int) number(lines, PORT_LINE),
                    lines.size() > STATUS_LINE ? lines.get(STATUS_LINE).strip() : "",
                    Files.getLastModifiedTime(file).toInstant()));
        } catch (NoSuchFileException noServer) {
            return Optional.empty();
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "Cannot read " + file + " (" + e + "): make it readable for this user.", e);
        }
    }

    static Path path(Path dataDirectory) {
        return dataDirectory.resolve("postmaster.pid");
    }

    /** Whether the server accepts connections; one that starts or stops does not. */
    boolean isReady() {
        return status.equals("ready") || status.equals("standby");
    }

    /** Whether the process is there and is the server of this data directory. */
    boolean isAlive() {
        Optional<ProcessHandle> process = process();
        if (process.isEmpty() || !looksLikePostgres(process.get())) {
            return false;
        }
        Optional<Path> workingDirectory = workingDirectory();
        return workingDirectory.isPresent()
                ? isDataDirectory(workingDirectory.get())
                : commandLine(process.get()).contains(dataDirectory.toString());
    }

    /**
     * Whether the file would keep PostgreSQL from starting although no server is there. The process has to be
     * provably somebody else's; that of a dead process is left to PostgreSQL, which also looks for orphans.
     */
    boolean isInTheWay() {
        if (pid == 0) {
            return written.isBefore(Instant.now().minus(LONGEST_START_OF_WRITING));
        }
        Optional<ProcessHandle> process = process();
        if (process.isEmpty()) {
            return false;
        }
        return !looksLikePostgres(process.get())
                || workingDirectory()
                        .map(directory -> !isDataDirectory(directory))
                        .orElse(false);
    }

    private Optional<ProcessHandle> process() {
        return pid > 0 ? ProcessHandle.of(pid) : Optional.empty();
    }

    private boolean looksLikePostgres(ProcessHandle process) {
        // A zombie has no command line. It is the usual remainder of a killed server if this JVM is a container's init.
        String commandLine = commandLine(process);
        int end = commandLine.indexOf('\0');
        String program = end < 0 ? commandLine : commandLine.substring(0, end);
        return program.substring(program.lastIndexOf('/') + 1).equals("postgres");
    }

    /** Program and arguments, separated by NUL. */
    private String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException notLinux) {
            ProcessHandle.Info info = process.info();
            return info.command().orElse("") + "\0"
                    + String.join("\0", info.arguments().orElse(new String[0]));
        }
    }

    /** Where the server works, on systems that tell. */
    private Optional<Path> workingDirectory() {
        try {
            return Optional.of(Path.of("/proc", Long.toString(pid), "cwd").toRealPath());
        } catch (IOException notToldHere) {
            return Optional.empty();
        }
    }

    private boolean isDataDirectory(Path directory) {
        try {
            return Files.isSameFile(directory, dataDirectory);
        } catch (IOException e) {
            return false;
        }
    }

    private static long number(List<String> lines, int line) {
        if (lines.size() <= line) {
            return 0;
        }
        try {
            return Long.parseLong(lines.get(line).strip());
        } catch (NumberFormatException halfWritten) {
            return 0;
        }
    }
}
