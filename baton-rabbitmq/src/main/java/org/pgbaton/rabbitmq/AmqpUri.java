package org.pgbaton.rabbitmq;

import com.rabbitmq.client.Address;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where RabbitMQ is: {@code amqp://user:password@host:5672/vhost}, or {@code amqps://} with TLS; several hosts of a cluster are
 * separated by commas. What is left out is as RabbitMQ has it by default.
 *
 * <p>Immutable. {@link #toString} and errors never show the password.
 */
final class AmqpUri {
    private final boolean tls;
    private final String user;
    private final String password;
    private final List<Address> hosts;
    private final String virtualHost;

    private AmqpUri(boolean tls, String user, String password, List<Address> hosts, String virtualHost) {
        this.tls = tls;
        this.user = user;
        this.password = password;
        this.hosts = hosts;
        this.virtualHost = virtualHost;
    }

    /** @throws IllegalArgumentException with a sentence that says which part is wrong, and does not repeat it: it may be a password */
    static AmqpUri parse(String uri) {
        boolean tls = uri.startsWith("amqps://");
        if (!tls && !uri.startsWith("amqp://")) {
            throw new IllegalArgumentException("RabbitMQ's address starts with neither amqp:// nor amqps://; write for "
                    + "example amqps://user:password@localhost:5671/vhost.");
        }
        String rest = uri.substring(uri.indexOf("//") + 2);
        int at = rest.lastIndexOf('@');
        String userInfo = at < 0 ? "guest:guest" : rest.substring(0, at);
        rest = rest.substring(at + 1);
        if ((userInfo + rest).matches("(?s).*[?#\\s].*") || userInfo.contains("/") || userInfo.contains("@")) {
            throw new IllegalArgumentException(
                    "RabbitMQ's address has parameters or special characters; leave parameters out, and write %40 for @, "
                            + "%2F for /, %3F for ?, %23 for # in user, password or virtual host.");
        }
        int colon = userInfo.indexOf(':');
        int slash = rest.indexOf('/');
        String path = slash < 0 ? "" : rest.substring(slash + 1);
        if (path.contains("/")) {
            throw new IllegalArgumentException(
                    "RabbitMQ's address has a second slash after the host; write %2F for one in a virtual host.");
        }
        return new AmqpUri(
                tls,
                decode(colon < 0 ? userInfo : userInfo.substring(0, colon)),
                colon < 0 ? "" : decode(userInfo.substring(colon + 1)),
                hosts(slash < 0 ? rest : rest.substring(0, slash), tls ? 5671 : 5672),
                path.isEmpty() ? "/" : decode(path));
    }

    boolean tls() {
        return tls;
    }

    String user() {
        return user;
    }

    String password() {
        return password;
    }

    /** Whether there is one that somebody chose. */
    boolean hasPassword() {
        return !password.isEmpty() && !(user.equals("guest") && password.equals("guest"));
    }

    List<Address> hosts() {
        return hosts;
    }

    String virtualHost() {
        return virtualHost;
    }

    @Override
    public String toString() {
        return (tls ? "amqps://" : "amqp://") + user + "@"
                + hosts.stream().map(Address::toString).collect(Collectors.joining(","))
                + (virtualHost.startsWith("/") ? virtualHost : "/" + virtualHost);
    }

    private static List<Address> hosts(String text, int defaultPort) {
        List<Address> all = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            int colon = each.startsWith("[") ? each.indexOf(':', each.indexOf(']') + 1) : each.indexOf(':');
            String host = colon < 0 ? each : each.substring(0, colon);
            all.add(new Address(
                    host.isEmpty() ? "localhost" : host, colon < 0 ? defaultPort : port(each.substring(colon + 1))));
        }
        return List.copyOf(all);
    }

    private static int port(String text) {
        if (text.matches("\\d{1,5}") && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= 65535) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException(
                "RabbitMQ's port is not a number from 1 to 65535; an IPv6 address is written [::1], and a special "
                        + "character in user or password %40 for @, %2F for /.");
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            // Its own message would show a part of what may be the password.
            throw new IllegalArgumentException(
                    "RabbitMQ's address has a '%' that starts no escape; write %25 for a percent sign.");
        }
    }
}
