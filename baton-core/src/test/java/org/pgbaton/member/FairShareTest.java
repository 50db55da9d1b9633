package org.pgbaton.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FairShareTest {
    @Test
    void theSharesOfAllMembersAreAllTheLanes() {
        for (int lanes = 1; lanes <= 20; lanes++) {
            for (int members = 1; members <= 25; members++) {
                List<Integer> alive =
                        IntStream.range(100, 100 + members).boxed().toList();
                int all = lanes;
                int sum = alive.stream()
                        .mapToInt(number -> FairShare.of(all, alive, number))
                        .sum();
                assertThat(sum).as("%d lanes, %d members", lanes, members).isEqualTo(lanes);
            }
        }
    }

    @Test
    void theOlderTakeOneMore() {
        assertThat(FairShare.of(16, List.of(4, 9, 12), 4)).isEqualTo(6);
        assertThat(FairShare.of(16, List.of(4, 9, 12), 9)).isEqualTo(5);
        assertThat(FairShare.of(16, List.of(4, 9, 12), 12)).isEqualTo(5);
    }

    @Test
    void inTotalOrderTheOldestOwnsAndTheOthersStandBy() {
        assertThat(FairShare.of(1, List.of(4, 9), 4)).isEqualTo(1);
        assertThat(FairShare.of(1, List.of(4, 9), 9)).isZero();
    }
}
