package org.pgbaton.proofs.subscription;

import org.pgbaton.Baton;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** A process with a subscription of its own that prints the position of every message it sees. */
final class EarProgram {
    private EarProgram() {}

    static JavaProcess start(TestDatabase database, String who) {
        return JavaProcess.start(EarProgram.class, database.url(), who);
    }

    public static void main(String[] arguments) throws Exception {
        try (Baton baton =
                Baton.builder(arguments[0]).who(arguments[1]).migrate(false).open()) {
            baton.subscription(arguments[1])
                    .on("events")
                    .react((message, delivery) -> System.out.println("SAW " + message.position() + "."))
                    .start();
            System.out.println("RUNNING");
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }
}
