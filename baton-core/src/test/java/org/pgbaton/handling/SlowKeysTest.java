package org.pgbaton.handling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlowKeysTest {
    private final SlowKeys keys = new SlowKeys();

    @Test
    void aKeyIsSlowUntilItIsForgotten() {
        keys.add("a");
        assertThat(keys.contains("a")).isTrue();
        assertThat(keys.contains("b")).isFalse();

        keys.remove("a");
        assertThat(keys.contains("a")).isFalse();
    }

    @Test
    void thereAreNeverMoreThanTenThousand() {
        for (int i = 0; i < 10_001; i++) {
            keys.add("key " + i);
        }

        assertThat(keys.contains("key 0")).isFalse();
        assertThat(keys.contains("key 10000")).isTrue();
    }
}
