package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/**
 * A message that is too large for the memory of this process is parked with a sentence, and everything else goes on.
 */
@BatonTest
class ABodyTooLargeForTheHeapTest {
    @Test
    void itsKeyIsParkedAndAllOthersAreHandled(TestDatabase database) throws Exception {
        Handled.createTable(database);
        // Stored without compression, which would take longer than the rest of the test.
        database.execute("""
                ALTER TABLE baton.events ALTER COLUMN payload SET STORAGE EXTERNAL;
                INSERT INTO baton.events (key, payload)
                SELECT 'key-' || n, CASE WHEN n = 13 THEN '"' || repeat('x', 100000000) || '"' ELSE '{}' END::json
                  FROM generate_series(1, 160) n;
                INSERT INTO baton.events (key, payload) VALUES ('key-13', '{}')""");
        try (JavaProcess program = SmallHeapProgram.start(database)) {
            program.await("RUNNING", Duration.ofSeconds(60));
            Eventually.isTrue(Duration.ofSeconds(60), () -> Handled.count(database, SmallHeapProgram.NAME) == 159);
            assertThat(database.one("SELECT state || ': ' || error FROM baton.parked WHERE key = 'key-13'"))
                    .startsWith("parked: ")
                    .contains("too large for this process", "-Xmx");
            assertThat(database.one("SELECT count(*) FROM baton.parked")).isEqualTo("1");
            database.execute("UPDATE baton.parked SET state = 'retrying', next_attempt_at = clock_timestamp()");
            database.execute("INSERT INTO baton.action (who, what, subject) VALUES ('test', 'retry', 's')");
            Eventually.isTrue(() -> database.one("SELECT attempts FROM baton.parked WHERE state = 'parked'")
                    .equals("2"));
        }
    }
}
