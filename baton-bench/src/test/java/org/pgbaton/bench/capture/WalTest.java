package org.pgbaton.bench.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.bench.Arena;
import org.pgbaton.bench.Arrivals;
import org.pgbaton.capture.Capture;

/** Checks the measurement: a real capture sees the changes that were written. */
class WalTest {
    private static final int ROWS = 2500;

    @Test
    void everyChangeThatWasMadeIsFoundInTheLogInItsOrder() throws Exception {
        try (Arena arena = new Arena(true, 1, ContestantProgram.class, Map.of("wal_level", "logical", "fsync", "off"));
                Wal wal = Wal.prepare(arena, List.of("other"))) {
            wal.fill(ROWS);
            try (Baton baton = Baton.open(wal.place().url());
                    Capture capture = BatonCapture.start(baton, wal.place().name())) {
                long end = System.nanoTime() + 30_000_000_000L;
                while (capture.health().changes() < ROWS && System.nanoTime() < end) {
                    Thread.sleep(5);
                }
                assertThat(wal.connections()).isGreaterThanOrEqualTo(2);
            }
            Arrivals inTheLog = wal.read("baton." + Wal.CAPTURE, ROWS);
            assertThat(inTheLog.words()).startsWith(ROWS + "\t0\t0\t0\t0\t");
            assertThat(wal.place()
                            .number("SELECT count(*) FROM pg_replication_slots WHERE slot_name = '" + wal.slot("other")
                                    + "' AND confirmed_flush_lsn < '" + wal.end() + "'"))
                    .as("the other slot is before the changes")
                    .isEqualTo(1);
        }
    }
}
