package org.pgbaton.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The demo's live check finds what it says is not there. */
class ArrivalsTest {
    private final Arrivals arrivals = new Arrivals("trades");

    @Test
    void inOrderAndAgainIsFineUnlessOnceWasPromised() {
        assertThat(arrivals.accept("P1", 1)).isTrue();
        assertThat(arrivals.accept("P2", 1)).isTrue();
        assertThat(arrivals.accept("P1", 2)).isTrue();
        assertThat(arrivals.accept("P1", 1)).isFalse();

        assertThat(arrivals.first()).isEqualTo(3);
        assertThat(arrivals.again()).isEqualTo(1);
        assertThat(arrivals.violations(3, false)).isEmpty();
        assertThat(arrivals.violations(3, true)).containsExactly("1 trades were published twice");
    }

    @Test
    void whatIsOvertakenOrMissingShows() {
        arrivals.accept("P1", 2);
        arrivals.accept("P1", 1);

        assertThat(arrivals.violations(2, false))
                .containsExactly("1 trades were not published", "1 trades were published out of order");
    }
}
