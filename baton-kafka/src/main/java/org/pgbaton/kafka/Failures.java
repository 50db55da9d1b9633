package org.pgbaton.kafka;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Verdict;

/** What went wrong in one transaction. One record that is refused takes others with it, which say less. Thread-safe. */
final class Failures {
    /** @param message null if it is none's */
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
        return all.stream().anyMatch(failure -> Troubles.endsProducer(failure.why()));
    }

    /** The one to blame: a message that will never be taken; else one that is not taken now; else whatever came first. */
    synchronized Failure worst(boolean oneTopic) {
        Failure worst = all.get(0);
        for (Failure failure : all) {
            if (failure.message() != null && Troubles.verdict(failure.why(), oneTopic) == Verdict.PARK) {
                return failure;
            }
            boolean blames = failure.message() != null && Troubles.verdict(failure.why(), oneTopic) == Verdict.RETRY;
            if (blames && (worst.message() == null || Troubles.verdict(worst.why(), oneTopic) != Verdict.RETRY)) {
                worst = failure;
            }
        }
        return worst;
    }
}
