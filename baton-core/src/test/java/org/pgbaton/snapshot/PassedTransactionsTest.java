package org.pgbaton.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class PassedTransactionsTest {
    private final PassedTransactions passed = new PassedTransactions();

    @Test
    void aSnapshotSeesATransactionThatHasEndedBeforeIt() {
        passed.add(100);

        assertThat(passed.areSeenBy("101:101:")).isTrue();
    }

    @Test
    void aSnapshotDoesNotSeeATransactionThatIsOpen() {
        passed.add(100);

        assertThat(passed.areSeenBy("100:105:100,103")).isFalse();
        assertThat(passed.areSeenBy("103:105:103")).isTrue();
    }

    @Test
    void aSnapshotDoesNotSeeATransactionThatBeganAfterIt() {
        passed.add(105);

        assertThat(passed.areSeenBy("105:105:")).isFalse();
        assertThat(passed.areSeenBy("106:106:")).isTrue();
    }

    /** The stream tells 32 bits of a transaction's number, a snapshot tells all 64. */
    @Test
    void numbersWrapAround() {
        passed.add(0xffff_fff0L);

        assertThat(passed.areSeenBy("4294967300:4294967300:")).isTrue();

        passed.add(5);

        assertThat(passed.areSeenBy("4294967300:4294967300:")).isFalse();
        assertThat(passed.areSeenBy("4294967302:4294967302:")).isTrue();
    }

    @Test
    void itIsTooEarlyUntilEveryTransactionHasEndedThatWasOpenAtTheStart() {
        assertThat(passed.isTooEarly(Set.of(7L, 8L))).isTrue();
        assertThat(passed.isTooEarly(Set.of(8L, 9L))).isTrue();
        assertThat(passed.isTooEarly(Set.of(9L))).isFalse();
    }

    @Test
    void aTransactionThatWasOpenAtTheStartAndHasPassedIsKnown() {
        assertThat(passed.isTooEarly(Set.of(7L))).isTrue();

        passed.add(7);

        assertThat(passed.isTooEarly(Set.of(7L))).isFalse();
    }
}
