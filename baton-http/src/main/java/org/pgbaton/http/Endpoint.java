package org.pgbaton.http;

import java.net.InetAddress;
import java.net.URI;
import java.util.regex.Pattern;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * The address of a webhook, and the kinds of IP addresses that it may resolve to. The URL itself is checked here, with
 * the parser that later decides where to connect. The addresses of its name are checked by {@link CheckedDns}.
 * Immutable.
 */
final class Endpoint {
    private static final Pattern NUMBER = Pattern.compile("\\d+|0[xX][0-9a-fA-F]*");
    private static final String BYTE = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final Pattern FOUR_NUMBERS = Pattern.compile("(" + BYTE + "\\.){3}" + BYTE);

    private final HttpUrl url;
    private final boolean allowPrivate;
    private final String shown;

    private Endpoint(HttpUrl url, boolean allowPrivate, String shown) {
        this.url = url;
        this.allowPrivate = allowPrivate;
        this.shown = shown;
    }

    /** @throws IllegalArgumentException if nothing may be sent there; the sentence shows no part that may be secret */
    static Endpoint of(URI uri, boolean allowPrivate, boolean secretPath) {
        // The client would take the path of https:///path for the host.
        HttpUrl url = uri.getRawAuthority() == null ? null : HttpUrl.get(uri);
        if (url == null) {
            throw new IllegalArgumentException(
                    "A webhook needs a URL with http or https and a host, for instance https://example.com/hook.");
        }
        if (uri.getRawUserInfo() != null
                || !url.username().isEmpty()
                || !url.password().isEmpty()) {
            throw new IllegalArgumentException(
                    "The URL of a webhook is shown to people, so it must have no user or password in it:"
                            + " give them as a header, header(\"Authorization\", …).");
        }
        if (!url.isHttps() && !allowPrivate) {
            throw new IllegalArgumentException(
                    "A webhook to " + url.host()
                            + " over plain http is refused: use https, or allowPrivate(true) if it is in a network of your own.");
        }
        String shown = secretPath
                ? "Slack at " + url.host()
                : "webhook " + url.newBuilder().query(null).fragment(null).build();
        Endpoint endpoint = new Endpoint(url, allowPrivate, shown);
        InetAddress literal = literal(url.host());
        String refusal = literal == null ? null : endpoint.refusal(literal);
        if (refusal != null) {
            throw new IllegalArgumentException("A webhook to " + url.host() + " is refused: it is " + refusal + ".");
        }
        return endpoint;
    }

    /**
     * The address, if the host is an address and not a name. Numbers that only some programs read as an address are
     * refused.
     */
    private static @Nullable InetAddress literal(String host) {
        String dotless = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        boolean numeric =
                NUMBER.matcher(dotless.substring(dotless.lastIndexOf('.') + 1)).matches();
        if (numeric && !FOUR_NUMBERS.matcher(host).matches()) {
            throw new IllegalArgumentException("A webhook to " + host
                    + " is refused: write an address as four decimal numbers, for instance 192.0.2.1.");
        }
        return numeric || host.contains(":") ? Reach.literal(host) : null;
    }

    /** The kind of the address, if nothing may be sent to it; null if it is allowed. */
    @Nullable
    String refusal(InetAddress address) {
        return switch (Reach.of(address)) {
            case NEVER -> "a link-local, multicast or reserved address, which is never allowed";
            case PRIVATE -> allowPrivate ? null : "a loopback or private address, which only allowPrivate(true) allows";
            case PUBLIC -> url.isHttps() ? null : "a public address, to which only https is allowed";
        };
    }

    HttpUrl url() {
        return url;
    }

    /** For messages: without the parts that may be secret. */
    @Override
    public String toString() {
        return shown;
    }

    /** The host that a redirect leads to; the rest of a location may be secret. */
    String hostOf(String location) {
        HttpUrl target = location.isEmpty() ? null : url.resolve(location);
        return target == null ? "another place" : target.host();
    }
}
