package org.pgbaton.bench.capture;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.pgbaton.bench.arena.Arrivals;

/**
 * When a number grew, looked at ten thousand times a second: how the rows of a log come is known without asking the database for them.
 * Thread-safe.
 */
final class Steps {
    private record Step(long count, long at) {}

    private final List<Step> steps = new ArrayList<>();

    Steps(LongSupplier number) {
        Thread thread = new Thread(() -> watch(number), "steps");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch(LongSupplier number) {
        long before = 0;
        while (true) {
            LockSupport.parkNanos(50_000);
            long now = number.getAsLong();
            if (now > before) {
                synchronized (this) {
                    steps.add(new Step(now, System.nanoTime()));
                }
                before = now;
            }
        }
    }

    /** Which change each row of the log is, is in the log. */
    synchronized void tell(Arrivals arrivals, String url) throws SQLException {
        int row = 0;
        int step = 0;
        for (int number : Orders.numbersIn(url, "baton." + Wal.CAPTURE)) {
            row++;
            while (step < steps.size() && steps.get(step).count < row) {
                step++;
            }
            if (step < steps.size()) {
                arrivals.add(number, steps.get(step).at);
            }
        }
    }
}
