package org.pgbaton.nats;

import io.nats.client.JetStreamApiException;
import org.pgbaton.subscription.Verdict;

/** The verdicts on JetStream's refusals. The numbers are those of its list of errors. */
final class JetStreamVerdicts {
    private JetStreamVerdicts() {}

    static Verdict of(JetStreamApiException refused) {
        return switch (refused.getApiErrorCode()) {
            case 10054 -> Verdict.PARK; // larger than the stream allows
            case 10008, // the cluster has no leader
                    10023, // out of resources
                    10028, // out of memory
                    10035, // not enabled for the account
                    10039, // not enabled
                    10047, // out of storage
                    10076 -> Verdict.OUTAGE; // not available
            default -> Verdict.RETRY; // the stream is full, for example
        };
    }
}
