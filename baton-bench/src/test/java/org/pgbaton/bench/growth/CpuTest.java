package org.pgbaton.bench.growth;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuTest {
    private static final String STAT =
            "4711 (postgres: load (1) x) S 1 4711 4711 0 -1 4194304 100 200 0 0 13 7 30 40 20 0 1 0 999 1 2 3";

    @Test
    void theTimesAreFoundWhateverTheProgramsName() {
        assertThat(Cpu.ticks(STAT, 11, 12)).isEqualTo(20);
        assertThat(Cpu.ticks(STAT, 11, 12, 13, 14)).isEqualTo(90);
    }
}
