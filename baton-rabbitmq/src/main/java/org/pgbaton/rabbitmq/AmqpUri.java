package org.pgbaton.rabbitmq;

import java.util.List;
import java.util.stream.Collectors;
import org.pgbaton.publishing.AddressParts;
import org.pgbaton.publishing.BrokerHost;

/**
 * Where RabbitMQ is: {@code amqp://user:password@host:5672/vhost}, or {@code amqps://} with TLS; several hosts of a cluster are
 * separated by commas. Parts that are left out are as RabbitMQ has them by default.
 *
 * <p>Immutable. {@link #toString} and errors never show the password.
 */
final class AmqpUri {
    private static final AddressParts PARTS = new AddressParts("RabbitMQ", "user or password");

    private final boolean tls;
    private final String user;
    private final String password;
    private final List<BrokerHost> hosts;
    private final String virtualHost;

    private AmqpUri(boolean tls, String user, String password, List<BrokerHost> hosts, String virtualHost) {
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
                PARTS.decoded(colon < 0 ? userInfo : userInfo.substring(0, colon)),
                colon < 0 ? "" : PARTS.decoded(userInfo.substring(colon + 1)),
                PARTS.hosts(slash < 0 ? rest : rest.substring(0, slash), tls ? 5671 : 5672),
                path.isEmpty() ? "/" : PARTS.decoded(path));
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

    /** Whether there is a password other than RabbitMQ's default. */
    boolean hasPassword() {
        return !password.isEmpty() && !(user.equals("guest") && password.equals("guest"));
    }

    List<BrokerHost> hosts() {
        return hosts;
    }

    String virtualHost() {
        return virtualHost;
    }

    @Override
    public String toString() {
        return (tls ? "amqps://" : "amqp://") + user + "@"
                + hosts.stream().map(BrokerHost::toString).collect(Collectors.joining(","))
                + (virtualHost.startsWith("/") ? virtualHost : "/" + virtualHost);
    }
}
