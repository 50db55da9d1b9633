package org.pgbaton.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is planned happens once, at the passage that was named; nothing happens if nothing is planned. */
class FailpointPlanTest {
    @Test
    void nothingIsPlannedInAnOrdinaryProcess() {
        assertThat(FailpointPlan.of(System.getProperty("baton.failpoint"))).isNull();
    }

    @Test
    void whatIsPlannedHappensOnce() {
        FailpointPlan plan = Objects.requireNonNull(FailpointPlan.of("before-commit:error:3"));
        for (int i = 0; i < 2; i++) {
            assertThatCode(() -> plan.pass(Failpoint.BEFORE_COMMIT)).doesNotThrowAnyException();
            assertThatCode(() -> plan.pass(Failpoint.AFTER_COMMIT)).doesNotThrowAnyException();
        }
        assertThatThrownBy(() -> plan.pass(Failpoint.BEFORE_COMMIT)).hasMessageContaining("BEFORE_COMMIT");
        assertThatCode(() -> plan.pass(Failpoint.BEFORE_COMMIT)).doesNotThrowAnyException();
    }

    @Test
    void whatCannotBeReadIsRefused() {
        assertThatThrownBy(() -> FailpointPlan.of("before-commit"))
                .hasMessageContaining("MOMENT:ACTION:N")
                .hasMessageContaining("before-commit");
        assertThatThrownBy(() -> FailpointPlan.of("never:crash:1")).isInstanceOf(IllegalArgumentException.class);
    }
}
