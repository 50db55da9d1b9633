package org.pgbaton.proofs.leadership;

import java.util.concurrent.CompletableFuture;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.Term;

/** Bids that other threads make while the test goes on. */
final class InBackground {
    private InBackground() {}

    static CompletableFuture<Term> lead(Leadership leadership) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return leadership.lead();
            } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
            }
        });
    }
}
