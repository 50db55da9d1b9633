package org.pgbaton.handling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pgbaton.hub.Sight;

class LaneGroupsTest {
    private static final LaneGroup FIRST = new LaneGroup(0);
    private static final LaneGroup SECOND = new LaneGroup(1);

    private final Sight seen = new Sight(100, new long[] {90, 50, 60, 80}, Set.of(), Set.of(), 0, "1", 0);

    @Test
    void usuallyEachLaneIsAGroup() {
        LaneGroups groups = LaneGroups.perKey(4, 4);

        assertThat(groups.areSingleLanes()).isTrue();
        assertThat(groups.all()).extracting(LaneGroup::number).containsExactly(0, 1, 2, 3);
        assertThat(groups.of(3)).isEqualTo(new LaneGroup(3));
        assertThat(groups.frontier(seen, SECOND)).isEqualTo(50);
    }

    @Test
    void aGroupIsReadNoFurtherThanAnyOfItsLanes() {
        LaneGroups groups = LaneGroups.perKey(4, 2);

        assertThat(groups.areSingleLanes()).isFalse();
        assertThat(groups.all()).containsExactly(FIRST, SECOND);
        assertThat(groups.of(2)).isEqualTo(FIRST);
        assertThat(groups.frontier(seen, FIRST)).isEqualTo(60);
        assertThat(groups.frontier(seen, SECOND)).isEqualTo(50);
    }

    @Test
    void aLogHasNoMoreGroupsThanLanes() {
        assertThat(LaneGroups.perKey(2, 8).number()).isEqualTo(2);
    }

    @Test
    void inTotalOrderOneGroupHasAllLanes() {
        LaneGroups groups = LaneGroups.total(4);

        assertThat(groups.areSingleLanes()).isFalse();
        assertThat(groups.all()).containsExactly(LaneGroup.ALL_LANES);
        assertThat(groups.of(3)).isEqualTo(LaneGroup.ALL_LANES);
        assertThat(groups.frontier(seen, LaneGroup.ALL_LANES)).isEqualTo(50);
    }
}
