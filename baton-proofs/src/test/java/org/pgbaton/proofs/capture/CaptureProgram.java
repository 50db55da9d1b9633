package org.pgbaton.proofs.capture;

import java.time.Duration;
import org.pgbaton.Baton;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/**
 * A process that takes part in the capture {@code changes} of the table {@code alert}. For each line of input it prints
 * the present problem.
 */
final class CaptureProgram {
    static final String CAPTURE = "changes";

    private CaptureProgram() {}

    static JavaProcess start(TestDatabase database, String who) throws InterruptedException {
        JavaProcess process = JavaProcess.start(CaptureProgram.class, database.url(), who);
        process.await("RUNNING", Duration.ofSeconds(30));
        return process;
    }

    public static void main(String[] arguments) throws Exception {
        try (Baton baton =
                Baton.builder(arguments[0]).who(arguments[1]).migrate(false).open()) {
            baton.capture(CAPTURE)
                    .table("public.alert")
                    .key("k")
                    .lease(Duration.ofSeconds(2))
                    .start();
            System.out.println("RUNNING");
            while (System.in.read() >= 0) {
                System.out.println("PROBLEM " + baton.health().captures().get(0).problem());
            }
        }
    }
}
