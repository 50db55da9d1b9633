package org.pgbaton.bench.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Cost;
import org.pgbaton.bench.arena.Pgbench;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Rows;

/** Checks the measurement: the rows that are reported have been written. */
class PgbenchTest {
    @Test
    void itWritesRowsOfManyLanesToTheLogAndReportsThem() throws Exception {
        Pgbench pgbench = Pgbench.find();
        Assumptions.assumeTrue(pgbench != null, "there is no pgbench here");
        try (Arena arena = new Arena(true, 1, PlayerProgram.class, Map.of("fsync", "off"));
                Place place = arena.place()) {
            Cost cost = pgbench.write(arena, place, "baton.events", 10, null);

            assertThat(cost.perSecond()).isGreaterThan(10);
            assertThat(cost.server()).isGreaterThan(0);
            assertThat(cost.baton()).isNaN();
            assertThat(place.number("SELECT count(*) % 10 FROM baton.events")).isZero();
            assertThat(place.number("SELECT count(DISTINCT lane) FROM baton.events"))
                    .isEqualTo(Rows.LANES);
            assertThat(place.number("SELECT count(*) FROM baton.events WHERE payload::text <> '" + Rows.PAYLOAD + "'"))
                    .isZero();
        }
    }
}
