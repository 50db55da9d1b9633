package org.pgbaton.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How far counts what was sent before a rewind. */
class GenerationTest {
    private static final Generation FOURTH = new Generation("7.1700", 4, List.of(50L, 20L, 90L));

    @Test
    void allOfThePresentOne() {
        assertThat(FOURTH.keeps("7.1700.4")).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void ofAnEarlierOneWhatNoRewindSinceHasAskedForAgain() {
        assertThat(FOURTH.keeps("7.1700.3")).isEqualTo(90);
        assertThat(FOURTH.keeps("7.1700.2")).isEqualTo(20);
        assertThat(FOURTH.keeps("7.1700.1")).isEqualTo(20);
    }

    @Test
    void nothingOfALaterOneAnotherSubscriptionOrSomethingElse() {
        for (String other : List.of("7.1700.5", "7.1700.0", "7.1800.3", "17.1700.3", "7.1700.", "7.1700.x", "")) {
            assertThat(FOURTH.keeps(other)).as(other).isZero();
        }
    }

    @Test
    void nothingIfSomebodyDidNotWriteDownWhereToItWasRewound() {
        Generation third = new Generation("7.1700", 3, Arrays.asList(null, 20L));
        assertThat(third.keeps("7.1700.1")).isZero();
        assertThat(third.keeps("7.1700.2")).isEqualTo(20);
        assertThat(new Generation("7.1700", 3, List.of()).keeps("7.1700.2")).isZero();
    }
}
