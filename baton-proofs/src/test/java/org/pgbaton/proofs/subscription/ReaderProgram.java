package org.pgbaton.proofs.subscription;

import java.time.Duration;
import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.subscription.Order;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** A member of two subscriptions, one per key and one in total order, in a process of its own; both record what they handle. */
final class ReaderProgram {
    static final String BY_KEY = "by-key";
    static final String IN_TOTAL_ORDER = "in-total-order";
    static final Duration LEASE = Duration.ofSeconds(2);

    private ReaderProgram() {}

    static JavaProcess start(TestDatabase database, String who) {
        return JavaProcess.start(ReaderProgram.class, database.url(), who);
    }

    public static void main(String[] arguments) throws Exception {
        try (Baton baton = Baton.builder(arguments[0])
                .who(arguments[1])
                .lease(LEASE)
                .migrate(false)
                .open()) {
            baton.subscription(BY_KEY)
                    .on("events")
                    .project((message, connection) -> Handled.add(connection, BY_KEY, List.of(message)))
                    .start();
            baton.subscription(IN_TOTAL_ORDER)
                    .on("events")
                    .order(Order.TOTAL)
                    .projectBatches((messages, connection) -> Handled.add(connection, IN_TOTAL_ORDER, messages))
                    .start();
            System.out.println("RUNNING");
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }
}
