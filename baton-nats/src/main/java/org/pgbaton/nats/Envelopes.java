package org.pgbaton.nats;

import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Makes what NATS gets out of a message: the payload unchanged, its id for de-duplication, its own headers and Baton's. Immutable.
 *
 * <p>NATS's headers carry visible ASCII only. What Baton makes of a message ({@code baton-key}, {@code -topic}, {@code -type}, {@code
 * -subscription}) is percent-encoded always, so that it can be decoded without doubt; a message's own header only if it must be,
 * because most are meant as they are.
 */
final class Envelopes {
    private static final Pattern NAME = Pattern.compile("[!-~&&[^:]]+");
    private static final Pattern VALUE = Pattern.compile("([!-~]([ -~\t]*[!-~])?)?");
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private final Template subject;

    Envelopes(Template subject) {
        this.subject = subject;
    }

    /** @throws HandlerException if NATS cannot carry it */
    Outgoing seal(Message message, Delivery delivery) {
        Headers headers = new Headers();
        headers.put("content-type", message.isJson() ? "application/json" : "application/octet-stream");
        message.headerMap().forEach((name, value) -> putOwn(headers, name, value, message));
        headers.put("Nats-Msg-Id", message.id().toString());
        putEncoded(headers, "baton-key", message.key());
        putEncoded(headers, "baton-topic", message.topic());
        putEncoded(headers, "baton-type", message.type());
        headers.put("baton-position", Long.toString(message.position()));
        headers.put("baton-epoch", Long.toString(delivery.epoch()));
        headers.put("baton-attempt", Integer.toString(delivery.attempt()));
        putEncoded(headers, "baton-subscription", delivery.subscription());
        return new Outgoing(message.toString(), new NatsMessage(subject.of(message), null, headers, message.payload()));
    }

    private static void putOwn(Headers headers, String name, String value, Message message) {
        String lower = name.toLowerCase(Locale.ROOT);
        // What starts with Nats- are orders to the server, to purge for example.
        if (lower.startsWith("baton-") || lower.startsWith("nats-")) {
            return;
        }
        if (!NAME.matcher(name).matches()) {
            throw new HandlerException(
                    Verdict.PARK,
                    "A header of " + message + " has a name that NATS cannot carry: write visible ASCII without ':'.");
        }
        headers.put(name, VALUE.matcher(value).matches() ? value : encoded(value));
    }

    private static void putEncoded(Headers headers, String name, @Nullable String value) {
        if (value != null) {
            headers.put(name, encoded(value));
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
