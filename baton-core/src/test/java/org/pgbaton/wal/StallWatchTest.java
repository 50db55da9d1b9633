package org.pgbaton.wal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StallWatchTest {
    private static final long FAR = 1L << 30;

    private final AtomicLong clock = new AtomicLong();
    private final StallWatch watch = new StallWatch(100, clock::get);

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @Test
    void aServerThatDoesNotReadOnIsStalledAfterAWhile() {
        pass(Duration.ofSeconds(5));
        assertThat(watch.isMoving(100, FAR)).isFalse();
        assertThat(watch.isStalled()).isFalse();

        pass(Duration.ofSeconds(1));
        assertThat(watch.isMoving(100, FAR)).isFalse();
        assertThat(watch.isStalled()).isTrue();
    }

    @Test
    void aServerThatReadsOnIsNotStalled() {
        pass(Duration.ofSeconds(6));
        assertThat(watch.isMoving(101, FAR)).isTrue();
        assertThat(watch.isStalled()).isFalse();
    }

    @Test
    void aServerThatHasNothingToReadIsNotStalled() {
        pass(Duration.ofSeconds(6));
        assertThat(watch.isMoving(100, 200)).isTrue();
        assertThat(watch.isStalled()).isFalse();
    }
}
