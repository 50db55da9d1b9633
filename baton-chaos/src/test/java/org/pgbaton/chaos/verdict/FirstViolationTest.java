package org.pgbaton.chaos.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.report.Look;
import org.pgbaton.chaos.report.TimeLine;
import org.pgbaton.chaos.verdict.Violation.Invariant;

/** The moment of a violation is when a look first showed what it names. */
class FirstViolationTest {
    private static final History HISTORY = new History(
            List.of(
                    new History.Written(1, "a", "id-1"),
                    new History.Written(2, "b", "id-2"),
                    new History.Written(3, "a", "id-3")),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            Map.of(),
            List.of(),
            List.of(
                    new History.Sample(100, "webhook", 0, 1, 1, "w1"),
                    new History.Sample(200, "webhook", 0, 3, 1, "w1"),
                    new History.Sample(300, "webhook", 0, 2, 1, "w1")),
            List.of(),
            List.of(),
            List.of(),
            0,
            History.Adoption.NONE,
            List.of(),
            List.of(),
            Duration.ZERO);
    private static final TimeLine TIME_LINE = TimeLine.of(
            List.of(
                    new Look(150, Look.Kind.LEADERSHIP, "job", 0, "w1", 5),
                    new Look(250, Look.Kind.LEADERSHIP, "job", 0, "w2", 6)),
            List.of());

    private static @Nullable Long millis(Invariant invariant, String... what) {
        return FirstViolation.millis(
                HISTORY,
                TIME_LINE,
                List.of(what).stream()
                        .map(each -> new Violation(invariant, each))
                        .toList());
    }

    @Test
    void aPositionIsFoundInTheCheckpoints() {
        assertThat(millis(Invariant.I2, "webhook: position 2 of key b")).isEqualTo(200);
        assertThat(millis(Invariant.I3, "webhook: position 1 of key a after 3")).isEqualTo(100);
    }

    @Test
    void aMessageIsFoundByItsIdOrItsPlace() {
        assertThat(millis(Invariant.I1, "webhook: message id-3 of key a")).isEqualTo(200);
        assertThat(millis(Invariant.I7, "webhook: message 2 of key a came after 0"))
                .isEqualTo(200);
    }

    @Test
    void aCheckpointThatWentBackIsFoundWhereItDid() {
        assertThat(millis(Invariant.I5, "webhook, lane 0: from position 3, epoch 1 to 2, epoch 1"))
                .isEqualTo(300);
    }

    @Test
    void anEpochIsFoundInTheTimeLine() {
        assertThat(millis(Invariant.I4, "w1 wrote in epoch 5 after epoch 6")).isEqualTo(250);
        assertThat(millis(Invariant.I4, "epoch 5 belonged to w1 and to w2")).isEqualTo(150);
    }

    @Test
    void whatIsLeftAtTheEndIsViolatedAtTheEnd() {
        assertThat(millis(Invariant.I10, "something was left to do when the time was over"))
                .isEqualTo(300);
    }

    @Test
    void ofSeveralTheFirstCounts() {
        assertThat(millis(Invariant.I2, "webhook: position 3 of key a; webhook: position 1 of key a; and 3 more"))
                .isEqualTo(100);
    }

    @Test
    void whatNamesNoMomentHasNone() {
        assertThat(millis(Invariant.I7, "webhook: message x is not in the log", "something else"))
                .isNull();
        assertThat(millis(Invariant.I2, "another: position 2 of key b")).isNull();
        assertThat(FirstViolation.millis(HISTORY, TIME_LINE, List.of())).isNull();
    }
}
