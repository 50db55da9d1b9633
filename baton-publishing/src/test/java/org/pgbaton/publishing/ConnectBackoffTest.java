package org.pgbaton.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** When to connect again. */
class ConnectBackoffTest {
    private final HandlerException away = new HandlerException(Verdict.OUTAGE, "The broker is away.");

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000); // the monotonic clock may run over
    private double random = 1;
    private final ConnectBackoff backoff = new ConnectBackoff(now::get, () -> random);

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void theFirstTryIsMadeAtOnce() {
        assertThat(backoff.refusal()).isNull();
    }

    @Test
    void pausesDoubleUpToALimit() {
        for (int expected : new int[] {100, 200, 400, 800, 1600, 2000, 2000}) {
            backoff.refused(away);
            assertThat(backoff.left()).isEqualTo(Duration.ofMillis(expected));
            pass(Duration.ofMillis(expected).minusNanos(1));
            assertThat(backoff.refusal()).isSameAs(away);
            pass(Duration.ofNanos(1));
            assertThat(backoff.refusal()).isNull();
            assertThat(backoff.left()).isZero();
        }
    }

    @Test
    void manyProcessesDoNotComeBackAtTheSameMoment() {
        random = 0;
        backoff.refused(away);
        assertThat(backoff.left()).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void onlyAnAnswerMakesPausesShortAgain() {
        backoff.refused(away);
        backoff.connected();
        assertThat(backoff.refusal()).isNull();
        backoff.refused(away);
        assertThat(backoff.left()).isEqualTo(Duration.ofMillis(200));
        backoff.connected();
        backoff.answered();
        backoff.refused(away);
        assertThat(backoff.left()).isEqualTo(Duration.ofMillis(100));
    }
}
