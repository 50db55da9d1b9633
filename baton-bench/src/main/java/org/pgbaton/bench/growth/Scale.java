package org.pgbaton.bench.growth;

import java.util.Arrays;
import java.util.List;

/** How far the curves go. */
enum Scale {
    SMALL,
    FULL,
    HUGE;

    /** The rows that a long log gets, step by step. */
    long[] rows() {
        return switch (this) {
            case SMALL -> new long[] {20_000, 100_000, 500_000};
            case FULL -> new long[] {100_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000};
            case HUGE -> new long[] {100_000, 1_000_000, 10_000_000, 30_000_000, 100_000_000};
        };
    }

    long mostRows() {
        return Arrays.stream(rows()).max().orElseThrow();
    }

    /** One of two values. */
    int sized(int full, int small) {
        return this == SMALL ? small : full;
    }

    /** All of them, or the first ones only. */
    List<Integer> steps(int small, Integer... all) {
        return this == SMALL ? List.of(all).subList(0, small) : List.of(all);
    }
}
