package org.pgbaton.subscription;

import java.util.concurrent.atomic.LongAdder;

/** What a member counts while it works. Thread-safe. */
final class Counters {
    final LongAdder handled = new LongAdder();
    final LongAdder batches = new LongAdder();
    final LongAdder batchNanos = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder setAside = new LongAdder();
    final LongAdder rebalances = new LongAdder();
    final LongAdder fenced = new LongAdder();
}
