package org.pgbaton.chaos.traffic;

import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.chaos.world.World;

/**
 * Counts the messages of a long round, and prints the number now and then. It lets writers write a few hundred a second, in bursts, so that there is time
 * for strikes, and no more than the processes can handle.
 */
public final class Progress implements AutoCloseable {
    private static final long LOOK_NANOS = 300_000_000;
    private static final long SAY_NANOS = 10_000_000_000L;
    private static final long A_SECOND = 300;
    private static final long MOST_WAITING = 3_000;

    private static final String WRITTEN = "SELECT count(*) FROM public.written";

    private final World world;
    private final Traffic traffic;
    private final long messages;
    private final long begun = System.nanoTime();
    private final AtomicInteger strikes = new AtomicInteger();
    private final Thread thread = new Thread(this::look, "chaos-progress");
    private volatile boolean stopped;
    private volatile boolean enough;

    private Progress(World world, Traffic traffic, long messages) {
        this.world = world;
        this.traffic = traffic;
        this.messages = messages;
    }

    /** @param messages 0: counts nothing, and holds up nobody */
    public static Progress start(World world, Traffic traffic, long messages) {
        Progress progress = new Progress(world, traffic, messages);
        progress.thread.setDaemon(true);
        if (messages > 0) {
            progress.thread.start();
        }
        return progress;
    }

    private void look() {
        long said = begun;
        while (!stopped) {
            try {
                long written = Long.parseLong(world.database().one(WRITTEN));
                long waiting = world.backlog();
                enough = written >= messages;
                traffic.hold(enough || written > allowed() || waiting > MOST_WAITING);
                if (System.nanoTime() - said > SAY_NANOS || enough) {
                    said = System.nanoTime();
                    say(written, waiting);
                }
                if (enough) {
                    return;
                }
            } catch (SQLException away) {
                // The server restarts; look again.
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private long allowed() {
        return A_SECOND + (System.nanoTime() - begun) / 1_000_000 * A_SECOND / 1000;
    }

    private void say(long written, long waiting) {
        System.out.printf(
                Locale.ROOT,
                "%5d s  %,d of %,d messages written, about %,d wait, %d strikes%n",
                (System.nanoTime() - begun) / 1_000_000_000,
                written,
                messages,
                waiting,
                strikes.get());
    }

    /** @return its number */
    public int countStrike() {
        return strikes.incrementAndGet();
    }

    public boolean isEnough() {
        return enough;
    }

    @Override
    public void close() {
        stopped = true;
    }
}
