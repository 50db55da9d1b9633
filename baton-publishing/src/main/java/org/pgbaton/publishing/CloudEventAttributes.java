package org.pgbaton.publishing;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * A message's attributes as CloudEvents 1.0 defines them, for the binary mode: the payload stays as it is, and attributes go among the
 * headers, under the prefix of each protocol. Immutable.
 *
 * <p>{@code id} is the message's id, {@code source} as configured, {@code type} the message's type or else its topic, {@code time} when it
 * was recorded, {@code subject} its key if it has one.
 */
public final class CloudEventAttributes {
    private static final Set<String> NAMES = Set.of("id", "source", "specversion", "type", "time", "subject");

    private final String prefix;
    private final String source;

    private CloudEventAttributes(String prefix, String source) {
        this.prefix = prefix;
        this.source = source;
    }

    /**
     * With the names of a protocol.
     *
     * @param prefix of the names of headers: {@code ce_} for Kafka, {@code ce-} for HTTP and NATS, {@code cloudEvents:} for AMQP
     * @param source where messages come from, a URI or a part of one: {@code /shop/orders}
     * @throws IllegalArgumentException if the source is none
     */
    public static CloudEventAttributes of(String prefix, String source) {
        try {
            if (!source.isEmpty() && new URI(source).toASCIIString().equals(source)) {
                return new CloudEventAttributes(prefix, source);
            }
        } catch (URISyntaxException none) {
            // Refused below.
        }
        throw new IllegalArgumentException(
                "'" + source + "' is no source of CloudEvents: give a URI or a part of one, in"
                        + " ASCII, for instance /shop/orders.");
    }

    /** Whether a message's own header has the name of an attribute, which it may not set. Attributes of extensions have other names. */
    public boolean isReserved(String header) {
        return header.regionMatches(true, 0, prefix, 0, prefix.length())
                && NAMES.contains(header.substring(prefix.length()).toLowerCase(Locale.ROOT));
    }

    /**
     * Gives the headers to the consumer.
     *
     * @throws HandlerException that parks the message's key, if it has neither type nor topic
     */
    public void forEach(Message message, BiConsumer<String, String> header) {
        header.accept(prefix + "specversion", "1.0");
        header.accept(prefix + "id", message.id().toString());
        header.accept(prefix + "source", source);
        header.accept(prefix + "type", type(message));
        header.accept(prefix + "time", message.recordedAt().toString());
        // A message without a key has its id as key, which says nothing of a subject. An empty subject is not allowed.
        if (!message.key().isEmpty() && !message.key().equals(message.id().toString())) {
            header.accept(prefix + "subject", message.key());
        }
    }

    /** The same for headers of visible ASCII, as the bindings of HTTP and NATS encode them. */
    public void forEachEncoded(Message message, BiConsumer<String, String> header) {
        forEach(
                message,
                (name, value) ->
                        header.accept(name, HeaderEncoding.encoded(value).replace("\"", "%22")));
    }

    private static String type(Message message) {
        String type = message.type();
        String chosen = type == null || type.isEmpty() ? message.topic() : type;
        if (chosen == null || chosen.isEmpty()) {
            throw new HandlerException(
                    Verdict.PARK,
                    message + " has neither type nor topic, and a CloudEvent needs a type: write its like with one, and"
                            + " skip it.");
        }
        return chosen;
    }
}
