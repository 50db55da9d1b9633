package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/**
 * If a change is too large for the reader's memory, health says so, and the change waits for a reader with more memory.
 * A capture never stops silently.
 */
@BatonTest
class AChangeTooLargeForTheHeapTest {
    @Test
    void somebodyIsTold(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (id integer PRIMARY KEY, k text, body text); "
                + "ALTER TABLE alert REPLICA IDENTITY FULL; "
                + "ALTER TABLE alert ALTER COLUMN body SET STORAGE EXTERNAL");
        try (JavaProcess program = CaptureProgram.start(database, "small")) {
            database.execute("INSERT INTO alert VALUES (1, 'a', 'before')");
            CapturedLog log = new CapturedLog(database, CaptureProgram.CAPTURE).awaitCount(1);
            database.execute("INSERT INTO alert VALUES (2, 'a', repeat('x', 150000000))");
            await().atMost(Duration.ofSeconds(60)).until(() -> problem(program).contains("-Xmx"));
            assertThat(log.count()).isEqualTo(1);
        }
    }

    private static String problem(JavaProcess program) throws Exception {
        program.say("");
        return program.await("PROBLEM", Duration.ofSeconds(30)).text();
    }
}
