package org.pgbaton.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Freezes and thaws processes of any kind. */
public final class Signals {
    private Signals() {}

    /** SIGSTOP: it answers nothing any more, and its kernel goes on answering for it. Returns when the last of its threads has stopped. */
    public static void freeze(long pid) throws InterruptedException {
        send("STOP", pid);
        // The signal takes effect a little later than kill returns; until then the process could still do something.
        Path tasks = Path.of("/proc", Long.toString(pid), "task");
        while (Files.isDirectory(tasks) && !allStopped(tasks)) {
            Thread.sleep(1);
        }
    }

    /** SIGCONT. */
    public static void thaw(long pid) {
        send("CONT", pid);
    }

    private static boolean allStopped(Path tasks) {
        try (Stream<Path> threads = Files.list(tasks)) {
            return threads.allMatch(Signals::isStopped);
        } catch (IOException gone) {
            return true;
        }
    }

    /** The state is the first letter after the name, which is in parentheses and may contain anything. */
    private static boolean isStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException gone) {
            return true;
        }
    }

    private static void send(String name, long pid) {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException("kill -" + name + " " + pid + " failed");
            }
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException("kill -" + name + " " + pid + " failed", failure);
        }
    }
}
