package org.pgbaton.bench.capture;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.pgbaton.bench.Arrivals;

/**
 * Records when a number grew, by looking at it ten thousand times a second. So the times at which rows arrive in a log
 * are known without asking the database. Thread-safe.
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

    /** The log itself says which change each of its rows is. */
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
