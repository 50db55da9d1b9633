package org.pgbaton.proofs.subscription;

import java.time.Duration;
import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** A member of two subscriptions, one per key and one in total order, in a process of its own; both record what they handle. */
final class ReaderProgram {
    static final String BY_KEY = "by-key";
    static final String IN_TOTAL_ORDER = "in-total-order";
    static final Duration LEASE = Duration.ofSeconds(2);

    private ReaderProgram() {}

    static JavaProcess start(TestDatabase database, String who) {
        return start(List.of(), database.url(), who, LEASE);
    }

    static JavaProcess start(List<String> prefix, String url, String who, Duration lease) {
        return JavaProcess.start(prefix, ReaderProgram.class, url, who, lease.toString());
    }

    public static void main(String[] arguments) throws Exception {
        try (Baton baton = Baton.builder(arguments[0])
                .who(arguments[1])
                .lease(Duration.parse(arguments[2]))
                .migrate(false)
                .open()) {
            baton.subscription(BY_KEY)
                    .on("events")
                    .project((message, connection) -> Handled.add(connection, BY_KEY, List.of(message)))
                    .start();
            baton.subscription(IN_TOTAL_ORDER)
                    .on("events")
                    .order(MessageOrder.TOTAL)
                    .projectBatches((messages, connection) -> Handled.add(connection, IN_TOTAL_ORDER, messages))
                    .start();
            System.out.println("RUNNING");
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }
}
