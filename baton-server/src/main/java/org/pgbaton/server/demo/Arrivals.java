package org.pgbaton.server.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** What the target has got: of each portfolio the numbers must come in order, the first time they come. Thread-safe. */
final class Arrivals {
    private final Map<String, Long> last = new ConcurrentHashMap<>();
    private final AtomicLong first = new AtomicLong();
    private final AtomicLong again = new AtomicLong();
    private final AtomicLong disorder = new AtomicLong();

    void accept(String portfolio, long number) {
        last.compute(portfolio, (key, before) -> {
            long expected = before == null ? 1 : before + 1;
            if (number < expected) {
                again.incrementAndGet();
                return before;
            }
            first.incrementAndGet();
            disorder.addAndGet(number == expected ? 0 : 1);
            return number;
        });
    }

    /** How many trades have come. */
    long first() {
        return first.get();
    }

    /** How many of them came once more. */
    long again() {
        return again.get();
    }

    /** @param exactlyOnce whether the target promises that nothing comes again */
    List<String> violations(long appended, boolean exactlyOnce) {
        List<String> violations = new ArrayList<>();
        if (first.get() != appended) {
            violations.add((appended - first.get()) + " trades were not published");
        }
        if (disorder.get() != 0) {
            violations.add(disorder + " trades were published out of order");
        }
        if (exactlyOnce && again.get() != 0) {
            violations.add(again + " trades were published twice");
        }
        return violations;
    }
}
