package org.pgbaton.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BatchSizeTest {
    private static final long ANY = Long.MAX_VALUE;
    private static final Duration QUICK = BatchSize.QUICK.minusMillis(1);
    private static final Duration SLOW = BatchSize.SLOW.plusMillis(1);

    private final BatchSize size = new BatchSize(500, 5000);

    private void grow() {
        for (int i = 0; i < 10; i++) {
            size.took(size.next(ANY), QUICK);
        }
    }

    @Test
    void wholeBatchesThatAreQuickGrowUpToTheLargest() {
        size.took(500, QUICK);
        assertThat(size.next(ANY)).isEqualTo(1000);
        grow();
        assertThat(size.next(ANY)).isEqualTo(5000);
    }

    @Test
    void aBatchThatFoundLessThanItAskedForChangesNothing() {
        size.took(499, QUICK);
        assertThat(size.next(ANY)).isEqualTo(500);
    }

    @Test
    void aSlowBatchHalvesTheNextDownToTheUsual() {
        grow();
        size.took(5000, SLOW);
        assertThat(size.next(ANY)).isEqualTo(2500);
        for (int i = 0; i < 10; i++) {
            size.took(10, SLOW);
        }
        assertThat(size.next(ANY)).isEqualTo(500);
    }

    @Test
    void betweenQuickAndSlowItStays() {
        grow();
        size.took(5000, BatchSize.QUICK.plusMillis(1));
        assertThat(size.next(ANY)).isEqualTo(5000);
    }

    @Test
    void heavyMessagesLimitItButNotBelowTheUsual() {
        grow();
        assertThat(size.next(700)).isEqualTo(700);
        assertThat(size.next(3)).isEqualTo(500);
    }

    @Test
    void afterAFailureItIsAsUsual() {
        grow();
        size.reset();
        assertThat(size.next(ANY)).isEqualTo(500);
    }

    @Test
    void aFixedSizeStays() {
        BatchSize fixed = new BatchSize(50, 50);
        fixed.took(50, QUICK);
        assertThat(fixed.next(ANY)).isEqualTo(50);
    }
}
