package org.pgbaton.bench.growth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LawTest {
    private static final double[] STEPS = {1, 3, 10, 30, 100};

    @Test
    void valuesWithinAFifthAreConstant() {
        Law law = Law.of(STEPS, new double[] {10, 11, 9.5, 12, 10.5});
        assertThat(law.kind()).isEqualTo(Law.Kind.CONSTANT);
        assertThat(law.bend()).isNaN();
    }

    @Test
    void aStraightLineIsFoundWithItsSlope() {
        Law law = Law.of(STEPS, new double[] {7, 11, 25, 65, 205});
        assertThat(law.kind()).isEqualTo(Law.Kind.LINEAR);
        assertThat(law.base()).isCloseTo(5, within(0.01));
        assertThat(law.slope()).isCloseTo(2, within(0.01));
        assertThat(law.sentence("ms", "log")).isEqualTo("linear, 5.0 ms and 2.0 ms more for each log");
    }

    @Test
    void aSquareIsAPowerThatBends() {
        Law law = Law.of(STEPS, new double[] {100, 101, 110, 190, 1100});
        assertThat(law.kind()).isEqualTo(Law.Kind.POWER);
        assertThat(law.exponent()).isGreaterThan(1.4);
        assertThat(law.bend()).isEqualTo(10);
        assertThat(law.sentence("ms", "log")).isEqualTo("grows as the power 1.5 at the end; bends after 10");
    }

    @Test
    void aBacklogThatBeginsAtZeroHasALawToo() {
        assertThat(Law.of(new double[] {0, 10, 20, 30}, new double[] {4, 5, 6, 7})
                        .kind())
                .isEqualTo(Law.Kind.LINEAR);
    }

    @Test
    void whatGetsLessOrIsUnknownIsCalledSo() {
        assertThat(Law.of(STEPS, new double[] {10, 8, 6, 4, 2}).kind()).isEqualTo(Law.Kind.FALLING);
        assertThat(Law.of(STEPS, new double[] {10, Double.NaN, 6, 4, 2}).kind()).isEqualTo(Law.Kind.UNKNOWN);
        assertThat(Law.of(new double[] {1}, new double[] {1}).kind()).isEqualTo(Law.Kind.UNKNOWN);
    }
}
