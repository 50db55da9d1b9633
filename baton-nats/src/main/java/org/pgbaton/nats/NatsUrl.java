package org.pgbaton.nats;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Where NATS is: {@code nats://user:password@host:4222}, {@code nats://token@host}, or {@code tls://} with TLS; several servers of a
 * cluster are separated by commas.
 *
 * <p>Immutable. {@link #toString} and errors never show password or token.
 */
final class NatsUrl {
    /** @param name with brackets, if it is an IPv6 address */
    record Host(String name, int port) {
        @Override
        public String toString() {
            return name + ":" + port;
        }
    }

    private final boolean tls;
    private final String user;
    private final String secret;
    private final List<Host> hosts;

    private NatsUrl(boolean tls, String user, String secret, List<Host> hosts) {
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
                colon < 0 ? "" : decode(userInfo.substring(0, colon)),
                decode(userInfo.substring(colon + 1)),
                hosts(rest));
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

    List<Host> hosts() {
        return hosts;
    }

    @Override
    public String toString() {
        List<String> names = hosts.stream().map(Host::toString).toList();
        return (tls ? "tls://" : "nats://") + (user.isEmpty() ? "" : user + "@") + String.join(",", names);
    }

    private static List<Host> hosts(String text) {
        List<Host> all = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            int colon = each.startsWith("[") ? each.indexOf(':', each.indexOf(']') + 1) : each.indexOf(':');
            String host = colon < 0 ? each : each.substring(0, colon);
            all.add(new Host(host.isEmpty() ? "localhost" : host, colon < 0 ? 4222 : port(each.substring(colon + 1))));
        }
        return List.copyOf(all);
    }

    private static int port(String text) {
        if (text.matches("\\d{1,5}") && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= 65535) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException(
                "NATS's port is not a number from 1 to 65535; an IPv6 address is written [::1], and a special character in "
                        + "user, password or token %40 for @, %2F for /.");
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            // Its own message would show a part of what may be a secret.
            throw new IllegalArgumentException(
                    "NATS's address has a '%' that starts no escape; write %25 for a percent sign.");
        }
    }
}
