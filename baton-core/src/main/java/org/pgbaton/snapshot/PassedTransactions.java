package org.pgbaton.snapshot;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Knows which transactions have passed in the stream although a query may not see them yet: a transaction is in the WAL a moment before it is
 * visible to others. Rows that were read without seeing such a transaction could be older than its changes.
 *
 * <p>Transactions that passed before this reader began are unknown. For them it is enough to wait until none of the transactions is open that were
 * open at the start. Not thread-safe.
 */
final class PassedTransactions {
    private static final long NUMBERS = 0xffff_ffffL;

    private final Set<Long> passed = new HashSet<>();
    private @Nullable Set<Long> openAtStart;

    /** A transaction has come in by the stream. */
    void add(long transaction) {
        passed.add(transaction);
        if (openAtStart != null) {
            openAtStart.remove(transaction);
        }
    }

    /** Begins again. */
    void clear() {
        passed.clear();
        openAtStart = null;
    }

    /**
     * Whether a transaction is still open that was open at the start, which is the first call.
     *
     * @param open the transactions that are open now
     */
    boolean isTooEarly(Set<Long> open) {
        if (openAtStart == null) {
            openAtStart = new HashSet<>(open);
        }
        openAtStart.retainAll(open);
        return !openAtStart.isEmpty();
    }

    /**
     * Whether a query with this snapshot sees every transaction that has passed.
     *
     * @param snapshot as PostgreSQL writes it: the first number that may be open, the first that was not given out yet, those that are open
     */
    boolean areSeenBy(String snapshot) {
        String[] parts = snapshot.split(":", -1);
        long next = Long.parseLong(parts[1]) & NUMBERS;
        Set<Long> open = new HashSet<>();
        for (String number : parts[2].split(",", 0)) {
            if (!number.isEmpty()) {
                open.add(Long.parseLong(number) & NUMBERS);
            }
        }
        // Numbers wrap around: a number that is ahead by less than half of them is later.
        passed.removeIf(number -> !open.contains(number) && (int) (number - next) < 0);
        return passed.isEmpty();
    }
}
