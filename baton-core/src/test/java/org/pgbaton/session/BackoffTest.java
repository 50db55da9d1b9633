package org.pgbaton.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofMillis(500);

    @RepeatedTest(50)
    void itDoublesUpToTheLongestAndStaysThere() {
        Backoff backoff = new Backoff(SHORTEST, LONGEST);

        assertNominal(backoff, 100);
        assertNominal(backoff, 200);
        assertNominal(backoff, 400);
        assertNominal(backoff, 500);
        assertNominal(backoff, 500);
    }

    @Test
    void afterAResetItStartsAgain() {
        Backoff backoff = new Backoff(SHORTEST, LONGEST);
        for (int i = 0; i < 10; i++) {
            assertThat(backoff.next()).isPositive();
        }

        backoff.reset();

        assertNominal(backoff, 100);
        assertNominal(backoff, 200);
    }

    @Test
    void twoProcessesDoNotPauseInStep() {
        Set<Duration> seen = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            seen.add(new Backoff(SHORTEST, LONGEST).next());
        }

        // 51 values are possible; that 1000 draws hit fewer than 20 of them does not happen.
        assertThat(seen).hasSizeGreaterThan(20);
    }

    @Test
    void theJitterReachesBothEnds() {
        Set<Duration> seen = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            seen.add(new Backoff(Duration.ofMillis(4), LONGEST).next());
        }

        assertThat(seen).containsExactlyInAnyOrder(Duration.ofMillis(2), Duration.ofMillis(3), Duration.ofMillis(4));
    }

    @Test
    void theShortestMayBeTheLongest() {
        Backoff backoff = new Backoff(SHORTEST, SHORTEST);

        assertNominal(backoff, 100);
        assertNominal(backoff, 100);
    }

    @ParameterizedTest
    @CsvSource({"PT0S, PT1S", "PT0.0009S, PT1S", "PT-1S, PT1S", "PT1S, PT0.999S"})
    void boundsThatMakeNoSenseAreRefused(Duration shortest, Duration longest) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Backoff(shortest, longest))
                .withMessage("A back-off from " + shortest + " to " + longest
                        + " makes no sense: the shortest pause is 1 ms " + "or more, the longest not below it.");
    }

    private static void assertNominal(Backoff backoff, long millis) {
        assertThat(backoff.next()).isBetween(Duration.ofMillis(millis / 2), Duration.ofMillis(millis));
    }
}
