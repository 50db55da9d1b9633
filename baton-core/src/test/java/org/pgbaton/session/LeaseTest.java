package org.pgbaton.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseTest {
    @Test
    void theDefaultIsTenSeconds() {
        assertThat(Lease.DEFAULT.length()).isEqualTo(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2S", "PT2.5S", "PT24H"})
    void theBoundsAreInside(Duration length) {
        assertThat(new Lease(length).length()).isEqualTo(length);
    }

    @ParameterizedTest
    @CsvSource({"PT1.999S, 1.999", "PT0S, 0.0", "PT-10S, -10.0", "PT24H0.001S, 86400.001", "PT48H, 172800.0"})
    void aLeaseOutsideTheBoundsIsRefusedWithTheRangeAndTheDefault(Duration length, String seconds) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Lease(length))
                .withMessage("A lease of " + seconds + " s makes no sense: give 2 s to 1 day (default 10 s).");
    }

    @Test
    void theMarginIsASecond() {
        assertThat(Lease.DEFAULT.margin()).isEqualTo(Duration.ofSeconds(1));
        assertThat(new Lease(Duration.ofHours(1)).margin()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void theMarginOfAShortLeaseIsAQuarterOfIt() {
        assertThat(new Lease(Duration.ofSeconds(2)).margin()).isEqualTo(Duration.ofMillis(500));
        assertThat(new Lease(Duration.ofSeconds(4)).margin()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void theTimesOfTheDefaultFollowFromItsLength() {
        Lease lease = Lease.DEFAULT;

        assertThat(lease.heartbeatEvery()).isEqualTo(Duration.ofSeconds(10).dividedBy(3));
        assertThat(lease.answer()).isEqualTo(lease.length().minus(lease.heartbeatEvery()));
        assertThat(lease.slice()).isEqualTo(Duration.ofSeconds(1));
        assertThat(lease.trusted()).isEqualTo(Duration.ofSeconds(9));
        assertThat(lease.abandoned()).isEqualTo(Duration.ofMillis(9500));
    }

    @Test
    void theTimesOfTheShortestFollowFromItsLength() {
        Lease lease = new Lease(Lease.SHORTEST);

        assertThat(lease.heartbeatEvery()).isEqualTo(Duration.ofSeconds(2).dividedBy(3));
        assertThat(lease.answer()).isEqualTo(lease.length().minus(lease.heartbeatEvery()));
        assertThat(lease.slice()).isEqualTo(lease.answer().dividedBy(2));
        assertThat(lease.trusted()).isEqualTo(Duration.ofMillis(1500));
        assertThat(lease.abandoned()).isEqualTo(Duration.ofMillis(1750));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2S", "PT3S", "PT4S", "PT4.001S", "PT6S", "PT10S", "PT1M", "PT24H"})
    void trustEndsBeforeTheHolderGivesUpAndThatBeforeTheServerFreesTheLocks(Duration length) {
        Lease lease = new Lease(length);

        assertThat(lease.trusted()).isLessThan(lease.abandoned());
        assertThat(lease.abandoned()).isLessThan(lease.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2S", "PT3S", "PT4S", "PT4.001S", "PT6S", "PT10S", "PT1M", "PT24H"})
    void twoHeartbeatsFitIntoTheTrust(Duration length) {
        Lease lease = new Lease(length);

        assertThat(lease.heartbeatEvery().multipliedBy(2)).isLessThan(lease.trusted());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2S", "PT3S", "PT4S", "PT4.001S", "PT6S", "PT10S", "PT1M", "PT24H"})
    void aHeartbeatThatIsNotAnsweredFailsOnlyAfterTheHolderHasGivenUpByItself(Duration length) {
        Lease lease = new Lease(length);

        assertThat(lease.heartbeatEvery().plus(lease.answer()))
                .isGreaterThan(lease.abandoned())
                .isLessThanOrEqualTo(lease.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT2S", "PT3S", "PT4S", "PT4.001S", "PT6S", "PT10S", "PT1M", "PT24H"})
    void aSliceOfWaitingLeavesTheServerHalfTheTimeToAnswerAndVacuumASecond(Duration length) {
        Lease lease = new Lease(length);

        assertThat(lease.slice().multipliedBy(2)).isLessThanOrEqualTo(lease.answer());
        assertThat(lease.slice()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void foreverIsRefusedLikeAnyOther() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Lease(ChronoUnit.FOREVER.getDuration()));
    }
}
