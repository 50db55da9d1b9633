package org.pgbaton.hub;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LookPaceTest {
    private final LookPace pace = new LookPace();

    private static LookPace.Seen seen(int locks, int members, long rows, boolean isAwaited) {
        return new LookPace.Seen(locks, members, rows, isAwaited);
    }

    private void usually(Duration look) {
        for (int i = 0; i < 100; i++) {
            pace.looked(look);
        }
    }

    @Test
    void aQuickLookIsFollowedByTheShortestRest() {
        usually(Duration.ofNanos(100_000));

        assertThat(pace.rest(seen(3, 1, 1, true))).isEqualTo(LookPace.SHORTEST);
    }

    @Test
    void nobodyHurriesIfNobodyWaits() {
        usually(Duration.ofNanos(100_000));

        assertThat(pace.rest(seen(3, 1, 1, false))).isEqualTo(Duration.ofMillis(25));
    }

    @Test
    void moreMembersLookLessOftenEach() {
        usually(Duration.ofNanos(500_000));

        assertThat(pace.rest(seen(3, 1, 1, true))).isEqualTo(Duration.ofNanos(3_500_000));
        assertThat(pace.rest(seen(3, 3, 1, true))).isEqualTo(Duration.ofNanos(4_500_000));
        assertThat(pace.rest(seen(3, 100, 1, true))).isEqualTo(Duration.ofMillis(6));
    }

    @Test
    void manyRowsDoubleTheRest() {
        usually(Duration.ofNanos(500_000));

        assertThat(pace.rest(seen(3, 1, 39, true))).isEqualTo(Duration.ofNanos(3_500_000));
        assertThat(pace.rest(seen(3, 1, 40, true))).isEqualTo(Duration.ofMillis(7));
    }

    @Test
    void aSlowLookMeansManyLocksOrABusyMachine() {
        usually(Duration.ofMillis(20));

        assertThat(pace.rest(seen(500, 1, 1, true))).isEqualTo(Duration.ofMillis(10));
        assertThat(pace.rest(seen(501, 1, 1, true))).isEqualTo(LookPace.LONGEST);
    }

    @Test
    void oneSlowLookIsAnException() {
        usually(Duration.ofNanos(400_000));

        pace.looked(Duration.ofSeconds(1));

        assertThat(pace.rest(seen(3, 0, 1, true))).isEqualTo(Duration.ofMillis(3));
    }

    @Test
    void restsGrowWhileALaneIsHeldBackAndAreShortAgainAfterNews() {
        usually(Duration.ofNanos(100_000));

        LookPace.Seen seen = seen(3, 1, 0, true);
        assertThat(pace.restWhileHeldBack(seen)).isEqualTo(Duration.ofMillis(4));
        assertThat(pace.restWhileHeldBack(seen)).isEqualTo(Duration.ofMillis(8));
        for (int i = 0; i < 10; i++) {
            pace.restWhileHeldBack(seen);
        }
        assertThat(pace.restWhileHeldBack(seen)).isEqualTo(LookPace.LONGEST);

        pace.foundNews();
        assertThat(pace.restWhileHeldBack(seen)).isEqualTo(Duration.ofMillis(4));
    }
}
