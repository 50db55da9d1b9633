package org.pgbaton.subscription;

import java.util.Collection;

/**
 * For publishers: a password or token goes over the network unencrypted only if somebody asked for that by name. To this machine
 * itself it may.
 */
public final class UnencryptedLogin {
    private UnencryptedLogin() {}

    /**
     * Refuses a login that would go over the network unencrypted.
     *
     * @param target the address, without its secret
     * @param hosts the names or addresses of all its hosts, without ports
     * @param remedy how to encrypt: "write amqps://"
     * @throws IllegalArgumentException if one of the hosts is not this machine
     */
    public static void refuse(String target, Collection<String> hosts, String remedy) {
        hosts.stream().filter(host -> !isThisMachine(host)).findFirst().ifPresent(host -> {
            throw new IllegalArgumentException(
                    "The login for " + target + " would go to " + host + " unencrypted: " + remedy
                            + "; or allow it with allowUnencryptedLogin(true), if nobody else can listen on that network.");
        });
    }

    /** By its looks: nobody is asked, since the answer could be another one later. */
    static boolean isThisMachine(String host) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        return bare.equals("localhost")
                || bare.endsWith(".localhost")
                || bare.matches("127(\\.\\d{1,3}){3}")
                || bare.equals("::1")
                || bare.equals("0:0:0:0:0:0:0:1");
    }
}
