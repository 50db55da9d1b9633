package org.pgbaton.server.process;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OsSignal;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.Terminal;

/**
 * Waits for a signal to stop. The first SIGTERM or SIGINT asks for an orderly end, in which the work in progress is finished. During the start
 * it also interrupts the starting thread, which may be waiting for a database. A second signal ends the process at once, and so does the end
 * of the grace period: an orchestrator would kill it a little later anyhow. Thread-safe.
 */
final class StopRequest {
    private final Thread starting = Thread.currentThread();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final Duration grace;
    private boolean started;

    private StopRequest(Duration grace) {
        this.grace = grace;
    }

    /** @param grace how long the work in progress may take */
    static StopRequest onSignals(Duration grace) {
        StopRequest stop = new StopRequest(grace);
        // The terminal sends SIGHUP when it is closed; without a terminal somebody wants the file to be read again.
        List<String> names = Terminal.isOutput() ? List.of("TERM", "INT", "HUP") : List.of("TERM", "INT");
        for (String name : names) {
            OsSignal.handle(name, number -> stop.arrived(name, number));
        }
        return stop;
    }

    private synchronized void arrived(String name, int number) {
        if (isAsked()) {
            Output.say("baton: A second signal (SIG" + name + "): ending at once.");
            Runtime.getRuntime().halt(ExitCode.SIGNAL + number);
        }
        Output.say("baton: SIG" + name + ": finishing the work in progress; a second signal ends it at once.");
        endAfterGrace(number);
        asked.countDown();
        if (!started) {
            starting.interrupt();
        }
    }

    private void endAfterGrace(int number) {
        Thread timer = new Thread(
                () -> {
                    try {
                        Thread.sleep(grace.toMillis());
                    } catch (InterruptedException unusual) {
                        return;
                    }
                    Output.warn("baton: The work in progress did not end within " + Durations.shown(grace)
                            + " (--grace): ending without it; another process does it again.");
                    Runtime.getRuntime().halt(ExitCode.SIGNAL + number);
                },
                "baton-grace");
        timer.setDaemon(true);
        timer.start();
    }

    boolean isAsked() {
        return asked.getCount() == 0;
    }

    /** The start is over: from now on a signal interrupts no thread. */
    synchronized void started() {
        started = true;
    }

    void await() throws InterruptedException {
        asked.await();
    }
}
