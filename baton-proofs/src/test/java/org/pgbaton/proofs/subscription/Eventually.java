package org.pgbaton.proofs.subscription;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** Conditions that become true soon. */
final class Eventually {
    private Eventually() {}

    static void isTrue(Callable<Boolean> condition) {
        isTrue(Duration.ofSeconds(20), condition);
    }

    static void isTrue(Duration atMost, Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(atMost)
                .pollInterval(Duration.ofMillis(10))
                .ignoreExceptionsMatching(Exception.class::isInstance)
                .until(condition);
    }
}
