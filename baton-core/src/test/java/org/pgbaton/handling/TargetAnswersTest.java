package org.pgbaton.handling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TargetAnswersTest {
    private static final Duration SLOW = Duration.ofSeconds(1);

    private long now = Long.MAX_VALUE - Duration.ofSeconds(5).toNanos(); // the clock overflows on the way
    private final TargetAnswers answers = new TargetAnswers(SLOW, () -> now);

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void aTargetIsSilentWhenItHasNotAnsweredForHalfTheTimeOfASlowKey() {
        pass(Duration.ofMillis(500));
        assertThat(answers.isSilent()).isFalse();

        pass(Duration.ofMillis(1));
        assertThat(answers.isSilent()).isTrue();

        answers.answered(false);
        assertThat(answers.isSilent()).isFalse();
    }

    @Test
    void whoWasSentBeforeASilenceGetsTimeFromItsEndOn() {
        long begun = answers.silentUntil();
        pass(Duration.ofMillis(400));
        answers.answered(true);
        assertThat(answers.silentUntil()).isEqualTo(begun);

        pass(Duration.ofSeconds(8));
        answers.answered(true);
        assertThat(answers.silentUntil()).isEqualTo(now);
    }

    @Test
    void itIsKnownWhetherAnythingWasAnsweredSinceAMessageWasSent() {
        pass(Duration.ofMillis(10));
        long sent = now;
        assertThat(answers.isSilentSince(sent)).isTrue();

        pass(Duration.ofMillis(10));
        answers.answered(false);
        assertThat(answers.isSilentSince(sent)).isFalse();
    }

    @Test
    void aConfirmationIsRecentForTenTimesTheTimeOfASlowKeyAndARefusalIsNone() {
        answers.answered(false);
        assertThat(answers.hasConfirmedLately()).isFalse();

        answers.answered(true);
        pass(Duration.ofMillis(9_999));
        assertThat(answers.hasConfirmedLately()).isTrue();

        pass(Duration.ofMillis(1));
        assertThat(answers.hasConfirmedLately()).isFalse();
    }
}
