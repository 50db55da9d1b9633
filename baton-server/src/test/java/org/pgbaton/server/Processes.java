package org.pgbaton.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What runs on this machine. */
final class Processes {
    private Processes() {}

    /** Whether it still does something; a zombie that nobody has buried does not. */
    static boolean isRunning(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // The state is the first letter after the name, which is in parentheses and may contain anything.
            return "ZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0;
        } catch (IOException goneOrNotLinux) {
            return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
        }
    }

    /** Those whose command line contains this. */
    static List<String> mentioning(String text) {
        return ProcessHandle.allProcesses()
                .filter(each -> isRunning(each.pid()))
                .map(each -> each.info().commandLine().orElse(""))
                .filter(line -> line.contains(text))
                .toList();
    }
}
