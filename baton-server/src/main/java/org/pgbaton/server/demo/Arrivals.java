package org.pgbaton.server.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what a target receives. The numbers of a portfolio must arrive in order, apart from repetitions. Thread-safe. */
final class Arrivals {
    private final String what;
    private final Map<String, Long> last = new ConcurrentHashMap<>();
    private final AtomicLong first = new AtomicLong();
    private final AtomicLong again = new AtomicLong();
    private final AtomicLong disorder = new AtomicLong();

    /** @param what arrives, in the plural */
    Arrivals(String what) {
        this.what = what;
    }

    /** @return whether it arrives for the first time */
    boolean accept(String portfolio, long number) {
        AtomicBoolean isNew = new AtomicBoolean();
        last.compute(portfolio, (key, before) -> {
            long expected = before == null ? 1 : before + 1;
            if (number < expected) {
                again.incrementAndGet();
                return before;
            }
            isNew.set(true);
            first.incrementAndGet();
            disorder.addAndGet(number == expected ? 0 : 1);
            return number;
        });
        return isNew.get();
    }

    /** How many have arrived. */
    long first() {
        return first.get();
    }

    /** How many of them arrived again. */
    long again() {
        return again.get();
    }

    /** @param exactlyOnce whether the target promises that nothing arrives again */
    List<String> violations(long sent, boolean exactlyOnce) {
        List<String> violations = new ArrayList<>();
        if (first.get() != sent) {
            violations.add((sent - first.get()) + " " + what + " were not published");
        }
        if (disorder.get() != 0) {
            violations.add(disorder + " " + what + " were published out of order");
        }
        if (exactlyOnce && again.get() != 0) {
            violations.add(again + " " + what + " were published twice");
        }
        return violations;
    }
}
