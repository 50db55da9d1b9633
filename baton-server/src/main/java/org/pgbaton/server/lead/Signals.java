package org.pgbaton.server.lead;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.OsSignal;
import org.pgbaton.server.command.Terminal;

/**
 * The signals that would end us. Before there is a child they interrupt the waiting thread; afterwards they go to the child,
 * and we end when it has ended. SIGINT from a terminal reaches the child anyway, so it is not sent twice.
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

    /** From now on signals go there. A signal that came before has interrupted this thread. */
    synchronized void sendTo(Consumer<String> to) {
        receiver = to;
    }

    int number() {
        return number;
    }
}
