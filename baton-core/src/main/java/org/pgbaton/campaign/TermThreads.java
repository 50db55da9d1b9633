package org.pgbaton.campaign;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The threads that work for a term: waited for, interrupted, and in the end left behind. Thread-safe. */
final class TermThreads {
    private final Set<Thread> working = new HashSet<>();
    private final Set<Thread> interrupted = new HashSet<>();

    synchronized void enter() {
        working.add(Thread.currentThread());
    }

    /** The interrupt that we sent ends with the work it was meant for; one that others sent stays. */
    @SuppressWarnings("ThreadInterruptedCheck")
    synchronized void leave() {
        working.remove(Thread.currentThread());
        if (interrupted.remove(Thread.currentThread())) {
            Thread.interrupted();
        }
        notifyAll();
    }

    synchronized boolean isEmpty() {
        return working.isEmpty();
    }

    /** Whether this thread was interrupted by us. */
    synchronized boolean wasInterrupted() {
        return interrupted.contains(Thread.currentThread());
    }

    /** Those who work, without the calling thread. */
    synchronized List<Thread> others() {
        return working.stream().filter(each -> each != Thread.currentThread()).toList();
    }

    synchronized void interruptOthers() {
        others().forEach(worker -> {
            interrupted.add(worker);
            worker.interrupt();
        });
    }

    /** @return whether all others have left in time */
    synchronized boolean awaitOthers(Duration atMost) {
        long end = System.nanoTime()
                + Math.min(atMost.toNanos(), Duration.ofDays(365).toNanos());
        try {
            while (!others().isEmpty()) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                wait(Math.max(1, left / 1_000_000));
            }
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
