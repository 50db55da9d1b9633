package org.pgbaton.proofs.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Promise 5, to an endpoint over HTTP: at least once, in order per key. */
class StrictOrderToWebhooksTest {
    @Test
    void nothingIsLostAndTheFirstTimeEverythingIsInOrder() throws Exception {
        try (WebhookTarget hook = new WebhookTarget();
                StrictOrder trading = new StrictOrder(hook)) {
            trading.run();
            Published verdict = trading.verdict();
            assertThat(verdict).matches(Published::isInOrder);
            assertThat(verdict.again())
                    .as("what had arrived and was not answered when its relay died")
                    .isPositive();
            assertThat(trading.verdictOnAReceiver()).matches(Published::isExactlyOnceInOrder);
        }
    }
}
