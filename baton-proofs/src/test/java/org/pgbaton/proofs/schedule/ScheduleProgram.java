package org.pgbaton.proofs.schedule;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.pgbaton.Baton;
import org.pgbaton.schedule.Missed;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/**
 * A schedule in a process of its own. It prints each change of its leadership and {@code RUN} with the due time. A run ends when a line
 * comes on standard input.
 */
final class ScheduleProgram {
    private ScheduleProgram() {}

    static JavaProcess start(TestDatabase database, String who) {
        return JavaProcess.start(ScheduleProgram.class, database.url(), who);
    }

    public static void main(String[] arguments) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Baton baton =
                Baton.builder(arguments[0]).who(arguments[1]).migrate(false).open()) {
            baton.addLeadershipListener(change -> System.out.println(change.to()));
            Runs.start(baton, "* * * * *", Missed.SKIP, (term, due) -> {
                System.out.println("RUN " + due);
                awaitWithoutMercy(over);
                System.out.println("RETURNED");
            });
            input.readLine();
            over.countDown();
            while (input.readLine() != null) {
                // until standard input ends
            }
        }
    }

    /** As a duty does that ignores interrupts. */
    private static void awaitWithoutMercy(CountDownLatch over) {
        while (over.getCount() > 0) {
            try {
                over.await();
            } catch (InterruptedException ignored) {
                System.out.println("INTERRUPTED");
            }
        }
    }
}
