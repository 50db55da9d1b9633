package org.pgbaton.bench;

import java.io.IOException;
import org.pgbaton.Baton;
import org.pgbaton.leadership.LeadershipChange;

/** Baton with its defaults, as a contender. Arguments: URL, user, password, lock, instance. */
final class BatonContender {
    private BatonContender() {}

    public static void main(String[] arguments) throws IOException {
        String instance = arguments[4];
        Baton baton = Baton.builder(arguments[0] + "?user=" + arguments[1] + "&password=" + arguments[2])
                .who(instance)
                .open();
        Runtime.getRuntime().addShutdownHook(new Thread(baton::close, "close"));
        baton.addLeadershipListener(change -> report(instance, change));
        baton.leadership(arguments[3]).campaign(term -> {});
        while (System.in.read() >= 0) {
            // The harness sends no input; it only closes the stream.
        }
    }

    private static void report(String instance, LeadershipChange change) {
        switch (change.to()) {
            case LEADING, LOST -> {
                System.out.println(change.to() + " " + instance + " " + System.nanoTime());
                System.out.println("READY " + instance);
            }
            case STANDBY -> System.out.println("READY " + instance);
            case SUSPENDED -> {}
        }
    }
}
