package org.pgbaton.nats;

import java.util.List;
import org.pgbaton.publishing.AddressParts;
import org.pgbaton.publishing.BrokerHost;

/**
 * Where NATS is: {@code nats://user:password@host:4222}, {@code nats://token@host}, or {@code tls://} with TLS; several servers of a
 * cluster are separated by commas.
 *
 * <p>Immutable. {@link #toString} and errors never show password or token.
 */
final class NatsUrl {
    private static final AddressParts PARTS = new AddressParts("NATS", "user, password or token");

    private final boolean tls;
    private final String user;
    private final String secret;
    private final List<BrokerHost> hosts;

    private NatsUrl(boolean tls, String user, String secret, List<BrokerHost> hosts) {
        this.tls = tls;
        this.user = user;
        this.secret = secret;
        this.hosts = hosts;
    }

    /** @throws IllegalArgumentException with a sentence that says which part is wrong, and does not repeat it: it may be a secret */
    static NatsUrl parse(String url) {
        boolean tls = url.startsWith("tls://");
        if (!tls && !url.startsWith("nats://")) {
            throw new IllegalArgumentException(
                    "NATS's address starts with neither nats:// nor tls://; write for example "
                            + "tls://user:password@localhost:4222.");
        }
        String rest = url.substring(url.indexOf("//") + 2);
        int at = rest.lastIndexOf('@');
        String userInfo = at < 0 ? "" : rest.substring(0, at);
        rest = rest.substring(at + 1);
        if (rest.endsWith("/")) {
            rest = rest.substring(0, rest.length() - 1);
        }
        if ((userInfo + rest).matches("(?s).*[?#/@\\s].*")) {
            throw new IllegalArgumentException(
                    "NATS's address has parameters, a path or special characters; leave parameters and path out, and write "
                            + "%40 for @, %2F for /, %3F for ?, %23 for # in user, password or token.");
        }
        int colon = userInfo.indexOf(':');
        return new NatsUrl(
                tls,
                colon < 0 ? "" : PARTS.decoded(userInfo.substring(0, colon)),
                PARTS.decoded(userInfo.substring(colon + 1)),
                PARTS.hosts(rest, 4222));
    }

    boolean tls() {
        return tls;
    }

    /** Empty for a token. */
    String user() {
        return user;
    }

    /** A password if there is a user, else a token; empty if there is none. */
    String secret() {
        return secret;
    }

    List<BrokerHost> hosts() {
        return hosts;
    }

    @Override
    public String toString() {
        List<String> names = hosts.stream().map(BrokerHost::toString).toList();
        return (tls ? "tls://" : "nats://") + (user.isEmpty() ? "" : user + "@") + String.join(",", names);
    }
}
