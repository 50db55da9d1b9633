package org.pgbaton.proofs.subscription;

import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** Records the messages that it handles, in a process with the small heap that the test kit gives to all processes. */
final class SmallHeapProgram {
    static final String NAME = "s";

    private SmallHeapProgram() {}

    static JavaProcess start(TestDatabase database) {
        return JavaProcess.start(SmallHeapProgram.class, database.url());
    }

    public static void main(String[] arguments) throws Exception {
        try (Baton baton = Baton.builder(arguments[0]).migrate(false).open()) {
            baton.subscription(NAME)
                    .on("events")
                    .project((message, connection) -> Handled.add(connection, NAME, List.of(message)))
                    .start();
            System.out.println("RUNNING");
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }
}
