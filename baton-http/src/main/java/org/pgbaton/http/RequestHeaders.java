package org.pgbaton.http;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import okhttp3.Headers;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * The headers of a request. Of one name, Baton's own win over the configured ones, and those over the message's. Immutable.
 *
 * <p>HTTP carries visible ASCII only. What Baton makes of a message ({@code baton-key}, {@code -topic}, {@code -type}) is
 * percent-encoded always, so that it can be decoded without doubt; a message's own header only if it must be, because most are meant as
 * they are.
 */
final class RequestHeaders {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final Pattern VALUE = Pattern.compile("([!-~]([ -~\t]*[!-~])?)?");

    /** What belongs to the connection, and not to the message. */
    private static final Set<String> OF_THE_CONNECTION = Set.of(
            "host",
            "content-length",
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authorization",
            "proxy-authenticate",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "expect",
            "http2-settings",
            "accept-encoding");

    private final Map<String, String> configured;
    private final Signature signature;
    private final boolean own;

    /** @param own whether Baton's own go with it, and the message's */
    RequestHeaders(Map<String, String> configured, Signature signature, boolean own) {
        this.own = own;
        configured.forEach(RequestHeaders::check);
        this.configured = Map.copyOf(configured);
        this.signature = signature;
    }

    private static void check(String name, String value) {
        if (!NAME.matcher(name).matches() || isReserved(name)) {
            throw new IllegalArgumentException("A webhook cannot have a header of the name '" + name
                    + "': it is no legal name, or one that HTTP or Baton sets itself.");
        }
        if (!VALUE.matcher(value).matches()) {
            throw new IllegalArgumentException("The value of the header '" + name
                    + "' must be visible ASCII, without a line break and without blanks at its ends.");
        }
    }

    private static boolean isReserved(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return OF_THE_CONNECTION.contains(lower) || lower.startsWith("webhook-") || lower.startsWith("baton-");
    }

    /** @throws HandlerException if the message has a header that HTTP cannot carry in any form */
    Headers of(Message message, Delivery delivery, Instant now) {
        Headers.Builder all = new Headers.Builder();
        all.set("user-agent", "baton");
        all.set("content-type", message.isJson() ? "application/json" : "application/octet-stream");
        if (own) {
            message.headerMap().forEach((name, value) -> setOwn(all, name, value));
        }
        configured.forEach(all::set);
        // The client would ask for gzip otherwise, and unpack what comes.
        all.set("accept-encoding", "identity");
        return own ? addOwn(all, message, delivery, now).build() : all.build();
    }

    private Headers.Builder addOwn(Headers.Builder all, Message message, Delivery delivery, Instant now) {
        String id = message.id().toString();
        all.set("webhook-id", id);
        all.set("webhook-timestamp", Long.toString(now.getEpochSecond()));
        if (signature.isWanted()) {
            all.set("webhook-signature", signature.of(id, now.getEpochSecond(), message.payload()));
        }
        all.set("baton-key", encoded(message.key()));
        setEncoded(all, "baton-topic", message.topic());
        setEncoded(all, "baton-type", message.type());
        all.set("baton-position", Long.toString(message.position()));
        all.set("baton-epoch", Long.toString(delivery.epoch()));
        all.set("baton-attempt", Integer.toString(delivery.attempt()));
        all.set("baton-subscription", encoded(delivery.subscription()));
        return all;
    }

    private static void setOwn(Headers.Builder all, String name, String value) {
        if (isReserved(name)) {
            return;
        }
        if (!NAME.matcher(name).matches()) {
            throw new HandlerException(
                    Verdict.PARK,
                    "The message has a header '" + Redaction.printable(name, 60)
                            + "', and HTTP has no header of such a name: skip the message, and write its like with letters, digits"
                            + " and '-' in the names of headers.");
        }
        all.set(name, VALUE.matcher(value).matches() ? value : encoded(value));
    }

    private static void setEncoded(Headers.Builder all, String name, @Nullable String value) {
        if (value != null) {
            all.set(name, encoded(value));
        }
    }

    /** In UTF-8, each byte that is not visible ASCII as %XX, and so % and + (which some decoders take for a blank). */
    static String encoded(String text) {
        StringBuilder encoded = new StringBuilder(text.length());
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b > ' ' && b < 0x7f && b != '%' && b != '+') {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HEX.toHexDigits(b));
            }
        }
        return encoded.toString();
    }
}
