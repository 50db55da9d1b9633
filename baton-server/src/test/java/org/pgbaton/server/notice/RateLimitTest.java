package org.pgbaton.server.notice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

class RateLimitTest {
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1_000_000_000_000L);
    private final RateLimit limit = new RateLimit(new RateLimit.Rate(6, Duration.ofMinutes(1)), clock::get);

    private boolean takes() {
        try {
            limit.take();
            return true;
        } catch (HandlerException early) {
            assertThat(early.verdict()).isEqualTo(Verdict.PAUSE);
            assertThat(early.pause()).isPositive().isLessThanOrEqualTo(Duration.ofMillis(10_002));
            assertThat(early).hasMessageContaining("rate-limit of 6/m");
            return false;
        }
    }

    private int takesWithin(Duration time) {
        int taken = 0;
        for (int i = 0; i < 1000; i++) {
            taken += takes() ? 1 : 0;
            clock.addAndGet(time.toNanos() / 1000);
        }
        return taken;
    }

    @Test
    void aFewGoAtOnceAndThenSoManyAndNoMore() {
        for (int i = 0; i < 6; i++) {
            assertThat(takes()).isTrue();
        }
        assertThat(takes()).isFalse();
        assertThat(takesWithin(Duration.ofMinutes(10))).isBetween(59, 60);
    }

    @Test
    void whatWasNotUsedIsKeptForOneTimeOnly() {
        clock.addAndGet(Duration.ofHours(5).toNanos());
        int taken = 0;
        while (takes()) {
            taken++;
        }
        assertThat(taken).isEqualTo(6);
    }

    @Test
    void whoComesWhenToldToIsTaken() {
        while (takes()) {}
        try {
            limit.take();
        } catch (HandlerException early) {
            clock.addAndGet(early.pause().toNanos());
        }
        assertThat(takes()).isTrue();
    }
}
