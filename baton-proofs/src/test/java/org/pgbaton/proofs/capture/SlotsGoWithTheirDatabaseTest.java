package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A test may leave its slot behind, even with a reader: the test kit clears both away. */
@BatonTest
class SlotsGoWithTheirDatabaseTest {
    @Test
    void aDatabaseIsDroppedWhileItsSlotIsRead(TestDatabase database) throws Exception {
        TestDatabase other = database.server().newDatabase();
        other.execute("CREATE PUBLICATION p FOR ALL TABLES");
        try (WalReader wal = new WalReader(other, "p")) {
            assertThat(wal.messages()).isEmpty();
            assertThat(database.one("SELECT active FROM pg_replication_slots WHERE slot_name = ?", other.name()))
                    .isEqualTo("t");
            other.close();
        }
        assertThat(database.one("SELECT count(*) FROM pg_database WHERE datname = ?", other.name()))
                .isEqualTo("0");
        assertThat(database.one("SELECT count(*) FROM pg_replication_slots WHERE slot_name = ?", other.name()))
                .isEqualTo("0");
    }
}
