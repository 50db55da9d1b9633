package org.pgbaton.server.lead;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.OsSignal;
import org.pgbaton.server.command.Terminal;

/**
 * Handles the signals that would end this process. Before the command is started they interrupt the waiting thread. Afterwards they are sent to
 * the command, and this process ends when the command has ended. SIGINT from a terminal reaches the command without us, so it is not sent.
 */
final class Signals {
    private final Thread waiting = Thread.currentThread();
    private @Nullable Consumer<String> receiver;
    private volatile int number;

    private Signals() {}

    static Signals catching() {
        Signals signals = new Signals();
        for (String name : new String[] {"TERM", "INT", "HUP", "USR1"}) {
            OsSignal.handle(name, number -> signals.arrived(name, number));
        }
        return signals;
    }

    /** No signal arrives here: for a command that somebody else ends. */
    static Signals none() {
        return new Signals();
    }

    private synchronized void arrived(String name, int signal) {
        Consumer<String> to = receiver;
        if (to == null) {
            if (!name.equals("USR1")) {
                number = signal;
                waiting.interrupt();
            }
        } else if (!name.equals("INT") || !Terminal.isInput()) {
            to.accept(name);
        }
    }

    /** From now on signals go to the receiver. A signal that came before has interrupted this thread. */
    synchronized void sendTo(Consumer<String> to) {
        receiver = to;
    }

    int number() {
        return number;
    }
}
