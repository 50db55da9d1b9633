package org.pgbaton.bench.growth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.embedded.PostgresServer;

/** The CPU time that processes have used since they began, from /proc. */
final class Cpu {
    /** USER_HZ, which is 100 wherever /proc exists. */
    private static final double TICKS_PER_SECOND = 100;

    private static final int USER = 11;
    private static final int SYSTEM = 12;
    private static final int CHILDREN_USER = 13;
    private static final int CHILDREN_SYSTEM = 14;

    private static final int TRIES = 100;

    private Cpu() {}

    /** Microseconds of the server: its first process, the sessions that have ended, and those that are there. */
    static double ofServer(PostgresServer server) throws IOException {
        long postmaster = server.pid().orElseThrow(() -> new IllegalStateException("PostgreSQL does not run"));
        for (int i = 0; i < TRIES; i++) {
            double ended = ticks(postmaster, CHILDREN_USER, CHILDREN_SYSTEM);
            double there = ticks(postmaster, USER, SYSTEM) + ofSessions(postmaster);
            // A session that ended meanwhile would be missing, or be counted twice.
            if (ticks(postmaster, CHILDREN_USER, CHILDREN_SYSTEM) == ended) {
                return micros(ended + there);
            }
        }
        throw new IllegalStateException("sessions end faster than they can be counted");
    }

    private static double ofSessions(long postmaster) throws IOException {
        double ticks = 0;
        List<ProcessHandle> sessions =
                ProcessHandle.of(postmaster).orElseThrow().children().toList();
        for (ProcessHandle session : sessions) {
            try {
                ticks += ticks(session.pid(), USER, SYSTEM);
            } catch (NoSuchFileException ended) {
                // the caller notices
            }
        }
        return ticks;
    }

    /** Microseconds of these players together. */
    static double of(List<Player> players) throws IOException {
        double ticks = 0;
        for (Player player : players) {
            ticks += ticks(player.pid(), USER, SYSTEM);
        }
        return micros(ticks);
    }

    private static double micros(double ticks) {
        return ticks / TICKS_PER_SECOND * 1e6;
    }

    private static double ticks(long pid, int... fields) throws IOException {
        return ticks(Files.readString(Path.of("/proc", Long.toString(pid), "stat")), fields);
    }

    /** @param stat the content of /proc/PID/stat; the program's name, in brackets, may contain anything */
    static double ticks(String stat, int... fields) {
        String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        double sum = 0;
        for (int field : fields) {
            sum += Long.parseLong(words[field]);
        }
        return sum;
    }
}
