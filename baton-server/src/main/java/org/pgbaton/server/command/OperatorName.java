package org.pgbaton.server.command;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name under which actions of the command line are recorded: user@host. */
final class OperatorName {
    /** Baton takes no longer name. */
    private static final int LONGEST = 100;

    private OperatorName() {}

    static String current() {
        String name = System.getProperty("user.name", "unknown") + "@" + hostName();
        return name.substring(0, Math.min(LONGEST, name.length()));
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return "localhost";
        }
    }
}
