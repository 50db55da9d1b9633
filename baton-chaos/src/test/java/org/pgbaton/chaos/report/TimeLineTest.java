package org.pgbaton.chaos.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A time line says no more and no less than the looks it is made of. */
class TimeLineTest {
    private final List<Look> looks = new ArrayList<>();
    private final List<Look.Waiting> waiting = new ArrayList<>();

    private void look(long millis, int lane, @Nullable String owner, long epoch) {
        looks.add(new Look(millis, Look.Kind.SUBSCRIPTION, "projection", lane, owner, epoch));
    }

    private TimeLine.Track track() {
        List<TimeLine.Track> tracks = TimeLine.of(looks, waiting).tracks();
        assertThat(tracks).hasSize(1);
        return tracks.get(0);
    }

    @Test
    void looksThatShowTheSameAreOneRun() {
        look(100, 0, "w1", 7);
        look(200, 0, "w1", 7);
        look(300, 0, "w1", 7);
        assertThat(track().runs()).containsExactly(new TimeLine.Run(0, "w1", 7, 100, 300));
    }

    @Test
    void aRunLastsUntilSomethingElseIsSeen() {
        look(100, 0, "w1", 7);
        look(200, 0, null, 7);
        look(300, 0, "w2", 8);
        look(400, 0, "w2", 8);
        assertThat(track().runs())
                .containsExactly(
                        new TimeLine.Run(0, "w1", 7, 100, 200),
                        new TimeLine.Run(0, null, 7, 200, 300),
                        new TimeLine.Run(0, "w2", 8, 300, 400));
    }

    @Test
    void theSameOwnerInANewEpochIsANewRun() {
        look(100, 0, "w1", 7);
        look(200, 0, "w1", 8);
        assertThat(track().runs())
                .containsExactly(new TimeLine.Run(0, "w1", 7, 100, 200), new TimeLine.Run(0, "w1", 8, 200, 200));
    }

    @Test
    void aTimeWithoutLooksBelongsToNoRun() {
        look(100, 0, "w1", 7);
        look(200, 0, "w1", 7);
        look(2_000, 0, "w1", 7);
        assertThat(track().runs())
                .containsExactly(new TimeLine.Run(0, "w1", 7, 100, 200), new TimeLine.Run(0, "w1", 7, 2_000, 2_000));
    }

    @Test
    void lanesAreKeptApartAndComeInOrder() {
        look(100, 1, "w2", 8);
        look(100, 0, "w1", 7);
        look(200, 1, "w2", 8);
        look(200, 0, "w1", 7);
        assertThat(track().runs())
                .containsExactly(new TimeLine.Run(0, "w1", 7, 100, 200), new TimeLine.Run(1, "w2", 8, 100, 200));
        assertThat(track().lanes()).containsExactly(0, 1);
    }

    @Test
    void aLeadershipAndASubscriptionOfTheSameNameAreTwoTracks() {
        look(100, 0, "w1", 7);
        looks.add(new Look(100, Look.Kind.LEADERSHIP, "projection", 0, "w2", 3));
        waiting.add(new Look.Waiting(100, "projection", 5));
        assertThat(TimeLine.of(looks, waiting).tracks())
                .containsExactly(
                        new TimeLine.Track(
                                Look.Kind.SUBSCRIPTION,
                                "projection",
                                List.of(new TimeLine.Run(0, "w1", 7, 100, 100)),
                                List.of(new TimeLine.Lag(100, 5))),
                        new TimeLine.Track(
                                Look.Kind.LEADERSHIP,
                                "projection",
                                List.of(new TimeLine.Run(0, "w2", 3, 100, 100)),
                                List.of()));
    }

    @Test
    void aLongLagIsThinnedAndKeepsItsEndsAndItsPeak() {
        look(0, 0, "w1", 7);
        for (int i = 0; i < 1_000; i++) {
            waiting.add(new Look.Waiting(i * 100L, "projection", i == 777 ? 5_000 : i % 10));
            waiting.add(new Look.Waiting(i * 100L, "another", 9_999));
        }
        List<TimeLine.Lag> lag = track().lag();
        assertThat(lag)
                .hasSize(60)
                .contains(new TimeLine.Lag(77_700, 5_000))
                .isSortedAccordingTo((one, other) -> Long.compare(one.millis(), other.millis()));
        assertThat(lag.get(0)).isEqualTo(new TimeLine.Lag(0, 0));
        assertThat(lag.get(59)).isEqualTo(new TimeLine.Lag(99_900, 9));
    }

    @Test
    void aShortLagIsKeptAsItIs() {
        look(0, 0, "w1", 7);
        for (int i = 0; i < 60; i++) {
            waiting.add(new Look.Waiting(i, "projection", i));
        }
        assertThat(track().lag()).hasSize(60);
    }
}
