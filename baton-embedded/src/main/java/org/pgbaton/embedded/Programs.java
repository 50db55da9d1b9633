package org.pgbaton.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.pgbaton.embedded.machine.Launcher;

/**
 * PostgreSQL's programs {@code initdb} and {@code pg_ctl}, with the options we use. Immutable and thread-safe.
 *
 * <p>{@code pg_ctl} gives the server a session of its own, so it lives on when the JVM dies, even by {@code kill -9}.
 */
record Programs(Binaries binaries, Launcher launcher) {

    /** How long a server may take to start or to stop. Ten seconds are not enough on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration PATIENCE_WITH_PROGRAM = PATIENCE.plusSeconds(15);

    private static final int FIRST_WITH_BUILTIN_LOCALE = 17;

    static Programs ofThisMachine() {
        Launcher launcher = launcherForThisUser();
        return new Programs(Binaries.onClassPath(), launcher);
    }

    /** @throws EmbeddedPostgresException if this is root and there is no way to become somebody else */
    static Launcher launcherForThisUser() {
        return Launcher.isRoot() ? launcherForRoot("unshare") : Launcher.direct();
    }

    /**
     * @param unshare the command that starts a program in a user namespace of its own
     * @throws EmbeddedPostgresException if the command is missing or not allowed to do that
     */
    static Launcher launcherForRoot(String unshare) {
        Launcher launcher = Launcher.unsharing(unshare);
        Launcher.Outcome probe = launcher.probe();
        if (!probe.succeeded()) {
            throw new EmbeddedPostgresException("PostgreSQL refuses to run as root, and \"" + unshare
                    + " -U true\" does not work here either (" + probe.output().strip()
                    + "): run as an ordinary user, or install util-linux and allow user namespaces"
                    + " (sysctl user.max_user_namespaces; in a container its seccomp profile), or give"
                    + " --database-url to use a PostgreSQL of your own.");
        }
        return launcher;
    }

    int major() {
        return binaries.major();
    }

    /** Makes a data directory: UTF-8, ordered by code point on every system, superuser {@code postgres}. */
    Launcher.Outcome initdb(Path dataDirectory, boolean durable, @Nullable Path passwordFile) {
        List<String> arguments = new ArrayList<>(List.of(
                "--pgdata=" + dataDirectory,
                "--username=postgres",
                "--auth=" + (passwordFile == null ? "trust" : "scram-sha-256"),
                "--encoding=UTF8",
                "--locale=C",
                "--data-checksums"));
        if (major() >= FIRST_WITH_BUILTIN_LOCALE) {
            // Knows upper and lower case beyond ASCII; before 17 that depends on the system's C library.
            arguments.addAll(List.of("--locale-provider=builtin", "--builtin-locale=C.UTF-8"));
        }
        if (passwordFile != null) {
            arguments.add("--pwfile=" + passwordFile);
        }
        if (!durable) {
            arguments.add("--no-sync");
        }
        return run("initdb", arguments);
    }

    /** Gives the superuser of a stopped server a password, without anybody being able to connect meanwhile. */
    Launcher.Outcome setPassword(Path dataDirectory, String password) {
        return launcher.run(
                PATIENCE_WITH_PROGRAM,
                List.of(
                        binaries.program("postgres").toString(),
                        "--single",
                        "-D",
                        dataDirectory.toString(),
                        "postgres"),
                "SET password_encryption = 'scram-sha-256';\nALTER ROLE postgres PASSWORD '" + password + "';\n");
    }

    /** Returns when the server accepts connections, or has failed, or has taken too long. */
    Launcher.Outcome start(Path dataDirectory, Path log) {
        return control(dataDirectory, "start", "--log=" + log);
    }

    Launcher.Outcome stop(Path dataDirectory, StopMode mode) {
        return control(dataDirectory, "stop", "--mode=" + mode.name().toLowerCase(Locale.ROOT));
    }

    Launcher.Outcome promote(Path dataDirectory) {
        return control(dataDirectory, "promote");
    }

    private Launcher.Outcome control(Path dataDirectory, String action, String... options) {
        List<String> arguments = new ArrayList<>(
                List.of(action, "--pgdata=" + dataDirectory, "--wait", "--timeout=" + PATIENCE.toSeconds()));
        arguments.addAll(List.of(options));
        return run("pg_ctl", arguments);
    }

    private Launcher.Outcome run(String program, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(binaries.program(program).toString());
        command.addAll(arguments);
        return launcher.run(PATIENCE_WITH_PROGRAM, command);
    }
}
