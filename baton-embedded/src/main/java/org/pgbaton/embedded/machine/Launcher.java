package org.pgbaton.embedded.machine;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs PostgreSQL's programs as a user they accept.
 *
 * <p>PostgreSQL refuses to run as root. For root the programs are therefore started through {@code unshare -U}: in a
 * user namespace of their own they are nobody, while on disk their files still belong to root. An ordinary user's
 * programs are started as they are.
 *
 * <p>The programs see neither the caller's {@code PG…} variables nor its locale, so their messages are English and
 * their defaults ours. Immutable and thread-safe.
 */
public final class Launcher {

    /** How a program ended, and everything it wrote. */
    public record Outcome(int exitCode, String output) {
        public boolean succeeded() {
            return exitCode == 0;
        }
    }

    private static final Duration PROBE_LIMIT = Duration.ofSeconds(20);

    private static final int TIMED_OUT = -1;

    private static final int CANNOT_RUN = -2;

    private final List<String> prefix;

    private Launcher(List<String> prefix) {
        this.prefix = prefix;
    }

    /** Runs programs as whoever this is. */
    public static Launcher direct() {
        return new Launcher(List.of());
    }

    /**
     * Runs programs in a user namespace of their own, in which root is somebody else.
     *
     * @param unshare the command that does that
     */
    public static Launcher unsharing(String unshare) {
        return new Launcher(List.of(unshare, "-U"));
    }

    /** Whether programs can be run at all, and what was said if not. */
    public Outcome probe() {
        return run(PROBE_LIMIT, List.of("true"));
    }

    /** Whether the programs may write there. Root's may write only what belongs to root, or to everybody. */
    public boolean mayWrite(Path folder) {
        return prefix.isEmpty()
                ? Files.isWritable(folder)
                : run(PROBE_LIMIT, List.of("test", "-w", folder.toString())).succeeded();
    }

    public static boolean isRoot() {
        Outcome id = direct().run(PROBE_LIMIT, List.of("id", "-u"));
        return id.succeeded() && id.output().strip().equals("0");
    }

    /** Runs a program to its end. One that takes longer than the limit is killed; its outcome is then no success. */
    public Outcome run(Duration limit, List<String> command) {
        return run(limit, command, null);
    }

    /** The same, for a program that reads something. */
    public Outcome run(Duration limit, List<String> command, @Nullable String input) {
        List<String> whole = new ArrayList<>(prefix);
        whole.addAll(command);
        try {
            Process process = start(whole, input != null);
            Output output = Output.of(process);
            if (input != null) {
                try (Writer in = process.outputWriter(StandardCharsets.UTF_8)) {
                    in.write(input);
                }
            }
            if (ended(process, limit)) {
                return new Outcome(process.exitValue(), output.text());
            }
            process.destroyForcibly();
            return new Outcome(TIMED_OUT, output.text() + "killed after " + limit.toSeconds() + " seconds");
        } catch (IOException e) {
            return new Outcome(CANNOT_RUN, String.valueOf(e.getMessage()));
        }
    }

    private static Process start(List<String> command, boolean reads) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(
                        reads ? ProcessBuilder.Redirect.PIPE : ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment
                .keySet()
                .removeIf(name -> name.startsWith("PG") || name.startsWith("LC_") || name.startsWith("LANG"));
        environment.put("LC_ALL", "C");
        return builder.start();
    }

    private static boolean ended(Process process, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        @Nullable InterruptedException interrupt = null;
        while (true) {
            try {
                boolean ended = process.waitFor(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                if (interrupt != null) {
                    Thread.currentThread().interrupt();
                }
                return ended;
            } catch (InterruptedException e) {
                // Half a start or half a stop helps nobody, and the limit ends it anyway.
                interrupt = e;
            }
        }
    }

    /** What a program writes, read by a thread of its own so that neither has to wait for the other. */
    private record Output(ByteArrayOutputStream bytes, Thread reader) {

        /** Should somebody inherit the pipe and keep it, we do not wait for him. */
        private static final Duration AFTER_THE_END = Duration.ofSeconds(2);

        static Output of(Process process) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            Thread reader = new Thread(
                    () -> {
                        try (InputStream in = process.getInputStream()) {
                            in.transferTo(bytes);
                        } catch (IOException closed) {
                            // The end, as far as we are concerned.
                        }
                    },
                    "baton-output-of-" + process.pid());
            reader.setDaemon(true);
            reader.start();
            return new Output(bytes, reader);
        }

        String text() {
            boolean interrupted = Thread.interrupted();
            try {
                reader.join(AFTER_THE_END.toMillis());
            } catch (InterruptedException givenBackBelow) {
                interrupted = true;
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
