package org.pgbaton.bench.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TraceTest {
    private static final long SECOND = 1_000_000_000L;

    /** Ten points a second; each message takes a microsecond of the relay, two of PostgreSQL, three of the broker. */
    private static Trace at(int... thousandsInEachSecond) {
        Trace trace = new Trace();
        long done = 0;
        long now = 0;
        trace.add(new Trace.Point(0, 0, 0, 0, 0));
        for (int rate : thousandsInEachSecond) {
            for (int tenth = 0; tenth < 10; tenth++) {
                now += SECOND / 10;
                done += rate * 100L;
                trace.add(new Trace.Point(now, done, done * 1000, done * 2000, done * 3000));
            }
        }
        return trace;
    }

    @Test
    void whatWasSlowInTheBeginningDoesNotCount() {
        Trace trace = at(10, 20, 50, 100, 100, 100, 100, 100, 100, 100);

        assertThat(trace.isStable()).isTrue();
        assertThat(trace.warm().perSecond()).isCloseTo(100_000, within(1.0));
    }

    @Test
    void theCpuTimeIsThatOfTheSameStretch() {
        Cost warm = at(10, 100, 100, 100, 100, 100).warm();

        assertThat(warm.baton()).isCloseTo(1, within(0.01));
        assertThat(warm.server()).isCloseTo(2, within(0.01));
        assertThat(warm.broker()).isCloseTo(3, within(0.01));
    }

    @Test
    void aRateThatGrowsUntilTheEndIsNotStable() {
        int[] rates = IntStream.range(0, 60)
                .map(second -> (int) (100 * Math.pow(1.1, second)))
                .toArray();

        Trace trace = at(rates);

        assertThat(trace.isStable()).isFalse();
        assertThat(trace.warm().perSecond()).isBetween(rates[54] * 1e3, rates[59] * 1e3);
    }

    @Test
    void theMomentOfNearlyTheFullRateIsTheEndOfTheFirstStretchWithIt() {
        Trace trace = at(0, 10, 20, 100, 100, 100, 100);

        assertThat(trace.whenFirst().nanos()).isEqualTo(SECOND + SECOND / 10);
        assertThat(trace.whenAt(90_000, SECOND / 2).nanos())
                .isBetween(3 * SECOND + 4 * SECOND / 10, 3 * SECOND + 6 * SECOND / 10);
    }

    @Test
    void nothingCanBeSaidOfAFewMessages() {
        assertThat(new Trace().done()).isZero();
        assertThat(at(0, 0).warm().perSecond()).isNaN();
    }
}
