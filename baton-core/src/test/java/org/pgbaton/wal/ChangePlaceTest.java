package org.pgbaton.wal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChangePlaceTest {
    private final ChangePlace place = new ChangePlace(1000, 5);

    @Test
    void transactionsAreOrderedByTheirCommit() {
        assertThat(place.isBefore(1001, 1)).isTrue();
        assertThat(place.isBefore(999, 9)).isFalse();
    }

    @Test
    void changesOfATransactionAreOrderedByTheirNumber() {
        assertThat(place.isBefore(1000, 6)).isTrue();
        assertThat(place.isBefore(1000, 5)).isFalse();
        assertThat(place.isBefore(1000, 4)).isFalse();
    }

    @Test
    void placesAreUnsigned() {
        assertThat(new ChangePlace(Long.MAX_VALUE, 1).isBefore(Long.MIN_VALUE, 1))
                .isTrue();
        assertThat(new ChangePlace(0x16_B374_D848L, 1).lsn()).isEqualTo("16/B374D848");
    }
}
