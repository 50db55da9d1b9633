package org.pgbaton.server.serve;

import java.util.concurrent.CountDownLatch;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OsSignal;
import org.pgbaton.server.command.Output;

/**
 * Waits for a signal to stop. The first SIGTERM, SIGINT or SIGHUP asks for an orderly end, in which the work in progress is finished. During
 * the start it also interrupts the starting thread, which may be waiting for a database. A second signal ends the process at once.
 * Thread-safe.
 */
final class StopRequest {
    private final Thread starting = Thread.currentThread();
    private final CountDownLatch asked = new CountDownLatch(1);
    private boolean started;

    private StopRequest() {}

    static StopRequest onSignals() {
        StopRequest stop = new StopRequest();
        for (String name : new String[] {"TERM", "INT", "HUP"}) {
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
        asked.countDown();
        if (!started) {
            starting.interrupt();
        }
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
