package org.pgbaton.bench.arena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** When a rate counts as stable. */
class WarmUpTest {
    @Test
    void theLastThreeRatesDecide() {
        assertThat(WarmUp.isStable(List.of(10.0, 100.0, 105.0, 109.0))).isTrue();
        assertThat(WarmUp.isStable(List.of(100.0, 105.0, 112.0))).isFalse();
    }

    @Test
    void fewerThanThreeAreNeverStable() {
        assertThat(WarmUp.isStable(List.of())).isFalse();
        assertThat(WarmUp.isStable(List.of(100.0, 100.0))).isFalse();
    }
}
