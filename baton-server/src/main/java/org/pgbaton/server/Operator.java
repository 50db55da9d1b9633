package org.pgbaton.server;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Who sits at the command line, for the record of what was done: user@host. */
final class Operator {
    /** As much as Baton takes for a name. */
    private static final int LONGEST = 100;

    private Operator() {}

    static String name() {
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
