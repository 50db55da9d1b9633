package org.pgbaton.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UuidV7Test {
    @Test
    void idsOfOneJvmGrow() {
        UUID last = UuidV7.next();
        for (int i = 0; i < 100_000; i++) {
            UUID next = UuidV7.next();
            assertThat(next.toString()).isGreaterThan(last.toString());
            last = next;
        }
    }

    @Test
    void theySayTheirVersionAndVariant() {
        UUID id = UuidV7.next();
        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
    }

    @Test
    void theirTimeIsTheClocks() {
        long before = System.currentTimeMillis();
        long inId = UuidV7.next().getMostSignificantBits() >>> 16;
        // The counter may run ahead of the clock by what other tests drew.
        assertThat(inId).isBetween(before, before + 60_000);
    }

    @Test
    void eightThreadsDrawNoIdTwice() {
        Set<UUID> ids = ConcurrentHashMap.newKeySet();
        IntStream.range(0, 8).parallel().forEach(thread -> {
            for (int i = 0; i < 10_000; i++) {
                ids.add(UuidV7.next());
            }
        });
        assertThat(ids).hasSize(80_000);
    }
}
