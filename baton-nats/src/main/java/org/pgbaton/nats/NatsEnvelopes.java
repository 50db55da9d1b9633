package org.pgbaton.nats;

import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.BatonHeaders;
import org.pgbaton.publishing.CloudEventAttributes;
import org.pgbaton.publishing.Envelopes;
import org.pgbaton.publishing.HeaderEncoding;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Turns a message into what NATS gets: the payload unchanged, its id for de-duplication, its own headers and Baton's.
 * NATS's headers carry visible ASCII only, see {@link HeaderEncoding}. Immutable.
 */
final class NatsEnvelopes implements Envelopes<NatsMessage> {
    private static final Pattern NAME = Pattern.compile("[!-~&&[^:]]+");

    private final SubjectTemplate subject;
    private final @Nullable CloudEventAttributes cloudEvents;

    /** @param cloudEvents null if messages are not to be CloudEvents */
    NatsEnvelopes(SubjectTemplate subject, @Nullable CloudEventAttributes cloudEvents) {
        this.subject = subject;
        this.cloudEvents = cloudEvents;
    }

    @Override
    public NatsMessage of(Message message, Delivery delivery) {
        Headers headers = new Headers();
        headers.put("content-type", message.isJson() ? "application/json" : "application/octet-stream");
        message.headerMap().forEach((name, value) -> putOwn(headers, name, value, message));
        headers.put("Nats-Msg-Id", message.id().toString());
        BatonHeaders.forEach(message, delivery, headers::put);
        if (cloudEvents != null) {
            cloudEvents.forEachEncoded(message, headers::put);
        }
        return new NatsMessage(subject.of(message), null, headers, message.payload());
    }

    private void putOwn(Headers headers, String name, String value, Message message) {
        String lower = name.toLowerCase(Locale.ROOT);
        // Headers that start with Nats- are commands to the server, for example to purge.
        if (lower.startsWith("baton-")
                || lower.startsWith("nats-")
                || (cloudEvents != null && cloudEvents.isReserved(name))) {
            return;
        }
        if (!NAME.matcher(name).matches()) {
            throw new HandlerException(
                    Verdict.PARK,
                    "A header of " + message + " has a name that NATS cannot carry: write visible ASCII without ':'.");
        }
        headers.put(name, HeaderEncoding.ifNeeded(value));
    }
}
