package org.pgbaton.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.frontier.Frontier.Writer;

class FrontierTest {
    private final Frontier frontier = new Frontier(3);

    @Test
    void withoutWritersItIsTheEnd() {
        assertThat(frontier.advance(7, List.of())).containsExactly(7, 7, 7);
    }

    @Test
    void aWriterHoldsBackItsOwnLaneOnly() {
        frontier.advance(7, List.of());

        assertThat(frontier.advance(9, List.of(new Writer("3/1", 1)))).containsExactly(9, 7, 9);
    }

    @Test
    void aWriterKeepsTheFloorItGotWhenItWasFirstSeen() {
        frontier.advance(7, List.of());
        frontier.advance(9, List.of(new Writer("3/1", 1)));

        assertThat(frontier.advance(20, List.of(new Writer("3/1", 1)))).containsExactly(20, 7, 20);
        assertThat(frontier.advance(21, List.of())).containsExactly(21, 21, 21);
    }

    @Test
    void aWriterThatWasThereBeforeTheFirstLookHoldsItsLaneAtTheOrigin() {
        assertThat(frontier.advance(9, List.of(new Writer("3/1", 0)))).containsExactly(0, 9, 9);
    }

    @Test
    void afterAReconnectEveryWriterMayHaveBeenThereBefore() {
        frontier.advance(9, List.of());
        frontier.forget();

        assertThat(frontier.advance(12, List.of(new Writer("-1/812", 2)))).containsExactly(12, 12, 0);
    }

    @Test
    void oneTransactionInSeveralLanesHasAFloorInEach() {
        frontier.advance(5, List.of());
        frontier.advance(8, List.of(new Writer("3/1", 0)));

        assertThat(frontier.advance(9, List.of(new Writer("3/1", 0), new Writer("3/1", 2))))
                .containsExactly(5, 9, 8);
    }

    @Test
    void theOldestWriterOfALaneCounts() {
        frontier.advance(5, List.of());
        frontier.advance(8, List.of(new Writer("3/1", 0)));

        assertThat(frontier.advance(9, List.of(new Writer("3/1", 0), new Writer("4/7", 0))))
                .containsExactly(5, 9, 9);
    }
}
