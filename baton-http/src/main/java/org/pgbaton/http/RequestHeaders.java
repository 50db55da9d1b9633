package org.pgbaton.http;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import okhttp3.Headers;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.BatonHeaders;
import org.pgbaton.publishing.CloudEventAttributes;
import org.pgbaton.publishing.HeaderEncoding;
import org.pgbaton.publishing.Redaction;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * The headers of a request. Where names are the same, Baton's own win over the configured ones, and those over the message's. HTTP
 * carries visible ASCII only, see {@link HeaderEncoding}. Immutable.
 */
final class RequestHeaders {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

    /** These belong to the connection, and not to the message. */
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
    private final @Nullable CloudEventAttributes cloudEvents;

    /**
     * @param own whether Baton's own headers and the message's are sent
     * @param cloudEvents null if requests are not to be CloudEvents
     */
    RequestHeaders(
            Map<String, String> configured,
            Signature signature,
            boolean own,
            @Nullable CloudEventAttributes cloudEvents) {
        this.cloudEvents = cloudEvents;
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
        if (!HeaderEncoding.isPlain(value)) {
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
        // Otherwise the client would ask for gzip, and unpack the answer.
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
        BatonHeaders.forEach(message, delivery, all::set);
        if (cloudEvents != null) {
            cloudEvents.forEachEncoded(message, all::set);
        }
        return all;
    }

    private void setOwn(Headers.Builder all, String name, String value) {
        if (isReserved(name) || (cloudEvents != null && cloudEvents.isReserved(name))) {
            return;
        }
        if (!NAME.matcher(name).matches()) {
            throw new HandlerException(
                    Verdict.PARK,
                    "The message has a header '" + Redaction.printable(name, 60)
                            + "', and HTTP has no header of such a name: skip the message, and write its like with letters, digits"
                            + " and '-' in the names of headers.");
        }
        all.set(name, HeaderEncoding.ifNeeded(value));
    }
}
