package org.pgbaton.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors of decision 1: a change of the hash would spread the messages of a key over two lanes. */
class LaneTest {
    static Stream<Arguments> vectors() {
        return Stream.of(
                Arguments.of("", 0, 1, 2, 2, 66),
                Arguments.of("a", 0, 2, 2, 18, 274),
                Arguments.of("account-42", 0, 5, 7, 23, 151),
                Arguments.of("Größe", 0, 0, 0, 0, 896),
                Arguments.of("😀", 0, 2, 4, 52, 564),
                Arguments.of("portfolio/7", 0, 0, 6, 38, 230),
                Arguments.of("x".repeat(10_000), 0, 4, 12, 44, 1004),
                Arguments.of("\\x41", 0, 5, 14, 30, 990),
                Arguments.of("e\u0301", 0, 3, 11, 59, 635),
                Arguments.of("550e8400-e29b-41d4-a716-446655440000", 0, 0, 13, 45, 493));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void theLaneIsTheFirstFourBytesOfTheSha256ModuloTheLanes(
            String key, int of1, int of7, int of16, int of64, int of1024) {
        assertThat(LogTable.laneOf(key, 1)).isEqualTo(of1);
        assertThat(LogTable.laneOf(key, 7)).isEqualTo(of7);
        assertThat(LogTable.laneOf(key, 16)).isEqualTo(of16);
        assertThat(LogTable.laneOf(key, 64)).isEqualTo(of64);
        assertThat(LogTable.laneOf(key, 1024)).isEqualTo(of1024);
    }
}
