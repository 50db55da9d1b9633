package org.pgbaton.proofs.leadership;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** Conditions that become true soon. */
final class Eventually {
    private Eventually() {}

    static void isTrue(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(10))
                .until(condition);
    }
}
