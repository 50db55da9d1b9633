package org.pgbaton.bench.arena;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArrivalsTest {
    @Test
    void everythingOnceAndInOrderIsFoundGood() {
        assertThat(seen(1, 0, 1, 2, 3)).isEqualTo("4 0 0 0 0");
    }

    @Test
    void whatIsLostComesAgainOrNobodyWroteIsCounted() {
        assertThat(seen(1, 0, 1, 1, 3, 9, -1)).isEqualTo("3 1 1 0 2");
    }

    @Test
    void whatOvertakesIsCountedWithinItsKeyOnly() {
        assertThat(seen(1, 1, 0, 2, 3)).isEqualTo("4 0 0 1 0");
        assertThat(seen(2, 1, 0, 2, 3)).isEqualTo("4 0 0 0 0");
        assertThat(seen(2, 1, 2, 0, 3)).isEqualTo("4 0 0 1 0");
    }

    @Test
    void aLatencyIsCountedFromTheCommitAndNeverBelowZero(@TempDir Path folder) throws Exception {
        Arrivals arrivals = new Arrivals(3, 1);
        arrivals.add(0, 5_000_000);
        arrivals.add(1, 7_000_000);
        arrivals.add(2, 8_000_000);
        Path file = folder.resolve("times");
        Files.write(file, List.of("0\t4000000", "1\t9000000", "2\t5000000"));
        assertThat(arrivals.latency(file)).isEqualTo("1000\t3000\t3000");
    }

    private static String seen(int keys, int... numbers) {
        Arrivals arrivals = new Arrivals(4, keys);
        for (int number : numbers) {
            arrivals.add(number, 1);
        }
        return String.join(" ", List.of(arrivals.words().split("\t")).subList(0, 5));
    }
}
