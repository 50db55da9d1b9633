package org.pgbaton.kafka.transaction;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.KafkaVerdicts;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Verdict;

/** What went wrong in one transaction. If one record is refused, others fail with it and say less. Thread-safe. */
final class TransactionFailures {
    /** @param message null if it is about no message */
    record Failure(@Nullable Message message, Throwable why) {}

    private final List<Failure> all = new ArrayList<>();

    /** @param why null if all is well */
    synchronized void add(@Nullable Message message, @Nullable Throwable why) {
        if (why != null) {
            all.add(new Failure(message, why));
        }
    }

    synchronized boolean isEmpty() {
        return all.isEmpty();
    }

    synchronized boolean endProducer() {
        return all.stream().anyMatch(failure -> KafkaVerdicts.endsProducer(failure.why()));
    }

    /** The failure to report: of a message that will never be taken; else of one that is not taken now; else the first. */
    synchronized Failure worst(boolean oneTopic) {
        Failure worst = all.get(0);
        for (Failure failure : all) {
            if (failure.message() != null && KafkaVerdicts.verdict(failure.why(), oneTopic) == Verdict.PARK) {
                return failure;
            }
            boolean blames =
                    failure.message() != null && KafkaVerdicts.verdict(failure.why(), oneTopic) == Verdict.RETRY;
            if (blames && (worst.message() == null || KafkaVerdicts.verdict(worst.why(), oneTopic) != Verdict.RETRY)) {
                worst = failure;
            }
        }
        return worst;
    }
}
