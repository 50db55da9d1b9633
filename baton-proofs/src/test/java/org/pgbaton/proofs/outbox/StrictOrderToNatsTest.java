package org.pgbaton.proofs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.pgbaton.nats.NatsServer;

/**
 * Promise 5, to NATS JetStream: in order per key, and once, because the stream recognises a message that comes again
 * within its window.
 */
class StrictOrderToNatsTest {
    @Test
    void everythingIsThereOnceAndInOrder() throws Exception {
        assumeTrue(NatsServer.isInstalled(), NatsServer.MISSING);
        try (NatsTarget stream = new NatsTarget();
                StrictOrder trading = new StrictOrder(stream)) {
            trading.run();
            assertThat(trading.verdict()).matches(Published::isExactlyOnceInOrder);
            assertThat(trading.verdictOnAReceiver()).matches(Published::isExactlyOnceInOrder);
        }
    }
}
