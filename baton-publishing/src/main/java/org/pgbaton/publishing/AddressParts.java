package org.pgbaton.publishing;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the parts of a broker's address that all brokers write alike: hosts separated by commas, and escapes such as {@code %40}. Errors
 * say which part is wrong and do not repeat it: it may be a secret. Immutable.
 */
public final class AddressParts {
    private final String broker;
    private final String escaped;

    /**
     * For the addresses of one kind of broker.
     *
     * @param broker its name, for errors
     * @param escaped the parts in which special characters are escaped, for errors: {@code user or password}
     */
    public AddressParts(String broker, String escaped) {
        this.broker = broker;
        this.escaped = escaped;
    }

    /**
     * The hosts of an address.
     *
     * @param text {@code host:port,host,[::1]:port}; a host that is left out is {@code localhost}
     * @throws IllegalArgumentException if a port is not a valid port number
     */
    public List<BrokerHost> hosts(String text, int defaultPort) {
        List<BrokerHost> all = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            int colon = each.startsWith("[") ? each.indexOf(':', each.indexOf(']') + 1) : each.indexOf(':');
            String host = colon < 0 ? each : each.substring(0, colon);
            int port = colon < 0 ? defaultPort : port(each.substring(colon + 1));
            all.add(new BrokerHost(host.isEmpty() ? "localhost" : host, port));
        }
        return List.copyOf(all);
    }

    private int port(String text) {
        if (text.matches("\\d{1,5}") && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= 65535) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException(
                broker + "'s port is not a number from 1 to 65535; an IPv6 address is written [::1], and a special "
                        + "character in " + escaped + " %40 for @, %2F for /.");
    }

    /**
     * A part of an address, with its escapes decoded.
     *
     * @throws IllegalArgumentException if an escape is invalid
     */
    public String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            // The cause's message would show a part of a text that may be a secret.
            throw new IllegalArgumentException(
                    broker + "'s address has a '%' that starts no escape; write %25 for a percent sign.");
        }
    }
}
