package org.pgbaton.bench.arena;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * CPU time that processes have used, in nanoseconds, from {@code /proc}. It depends on what else the machine does much less than a
 * rate does. Where there is no {@code /proc}, everything costs nothing, and {@link Cost} shows a dash.
 */
public final class CpuTime {
    /** In a player's JVM: the number of the server's process. */
    static final String SERVER = "baton.bench.server";

    /** Linux counts in hundredths of a second in all its files, whatever the kernel's own clock does. */
    private static final long NANOS_PER_TICK = 10_000_000;

    // Places in /proc/N/stat after the name, which may contain blanks.
    private static final int OWN = 11;
    private static final int OF_ENDED_CHILDREN = 13;

    private CpuTime() {}

    /** Of all threads of a process; 0 if it is not there. */
    public static long ofProcess(long pid) {
        return ticks(pid, OWN) * NANOS_PER_TICK;
    }

    /** Of PostgreSQL: all its processes, and those that have ended. */
    public static long ofServer(long postmaster) {
        long ticks = ticks(postmaster, OWN) + ticks(postmaster, OF_ENDED_CHILDREN);
        List<ProcessHandle> backends = ProcessHandle.of(postmaster).stream()
                .flatMap(ProcessHandle::children)
                .toList();
        for (ProcessHandle backend : backends) {
            ticks += ticks(backend.pid(), OWN);
        }
        return ticks * NANOS_PER_TICK;
    }

    /** Of the PostgreSQL for which this player was started. */
    public static long ofServer() {
        return ofServer(Long.getLong(SERVER, 0));
    }

    /** Of this JVM. */
    public static long ofThisProcess() {
        return ofProcess(ProcessHandle.current().pid());
    }

    /** In user mode and in the kernel. */
    private static long ticks(long pid, int first) {
        Path file = Path.of("/proc/" + pid + "/stat");
        try {
            String text = Files.exists(file) ? Files.readString(file) : "";
            String[] fields = text.substring(text.lastIndexOf(')') + 1).strip().split(" ");
            return fields.length <= first + 1 ? 0 : Long.parseLong(fields[first]) + Long.parseLong(fields[first + 1]);
        } catch (IOException ended) {
            return 0;
        }
    }
}
