package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BatchLimitTest {
    private final BatchLimit limit = new BatchLimit(64_000);

    @Test
    void afterAnOutageBatchesGrowToTheirFormerSize() {
        limit.unanswered(50_000);
        assertThat(limit.bytes()).isEqualTo(1);
        for (int bytes = 300; bytes < 64_000; bytes *= 2) {
            limit.confirmed(bytes);
            assertThat(limit.bytes()).isEqualTo(Math.min(64_000, 2 * bytes));
        }
    }

    @Test
    void aBatchThatGetsNoAnswerWhileTheyGrowWasTooLarge() {
        limit.unanswered(50_000);
        limit.confirmed(300);
        limit.confirmed(600);
        limit.unanswered(1_200);
        limit.confirmed(300);
        limit.confirmed(600);
        limit.confirmed(600);
        assertThat(limit.bytes()).isEqualTo(600);
    }

    @Test
    void batchesStaySmallerThanARecordThatWasTooLarge() {
        limit.tooLarge(20_000);
        assertThat(limit.bytes()).isEqualTo(19_999);
        limit.tooLarge(30_000);
        assertThat(limit.bytes()).isEqualTo(19_999);
    }

    @Test
    void inTheLongRunLargerOnesAreTriedAgain() {
        limit.takenApart(60_000);
        assertThat(limit.bytes()).isEqualTo(30_000);
        for (int i = 0; i < BatchLimit.LONG_RUN; i++) {
            limit.confirmed(30_000);
        }
        assertThat(limit.bytes()).isEqualTo(60_000);
    }
}
