package org.pgbaton.rabbitmq;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** A name that can depend on the message: <code>{topic}</code>, <code>{key}</code> and <code>{type}</code> stand for the message's own. Immutable. */
final class Template {
    private static final Pattern PART = Pattern.compile("\\{([^{}]*)}");

    /** What AMQP's short strings can hold, in UTF-8. */
    static final int LONGEST = 255;

    private static final String RESERVED = "amq.";

    private final String what;
    private final String text;

    private Template(String what, String text) {
        this.what = what;
        this.text = text;
    }

    /** @param what the name of the thing, for people */
    static Template parse(String what, String text) {
        String unknown = PART.matcher(text).replaceAll(part -> switch (part.group(1)) {
            case "topic", "key", "type" -> "";
            default -> Matcher.quoteReplacement(part.group());
        });
        if (unknown.contains("{") || unknown.contains("}")) {
            throw new IllegalArgumentException(
                    "The " + what + " '" + text + "' has braces around something other than topic, key or type.");
        }
        return new Template(what, text);
    }

    /** Whether it is the same for all messages. */
    boolean isFixed() {
        return !text.contains("{");
    }

    /** @throws HandlerException if it cannot be made for this message */
    String of(Message message) {
        String made = isFixed()
                ? text
                : PART.matcher(text)
                        .replaceAll(part -> Matcher.quoteReplacement(
                                switch (part.group(1)) {
                                    case "topic" -> present("topic", message.topic(), message);
                                    case "type" -> present("type", message.type(), message);
                                    default -> message.key();
                                }));
        return fitting(what, made, message);
    }

    /**
     * The same, of a name that means something to RabbitMQ if it begins with {@code amq.}: its own exchanges, and the queues of those who
     * wait for an answer. A message may not choose one; the configuration may.
     */
    String unreserved(Message message) {
        String made = of(message);
        if (text.startsWith("{") && made.startsWith(RESERVED)) {
            throw new HandlerException(
                    Verdict.PARK,
                    message + " makes the " + what + " '" + made
                            + "', which messages may not choose: what begins with 'amq.' is RabbitMQ's own.");
        }
        return made;
    }

    private String present(String part, @Nullable String value, Message message) {
        if (value == null) {
            throw new HandlerException(
                    Verdict.PARK,
                    "The " + what + " is '" + text + "', and " + message + " has no " + part + "; write one with the "
                            + "message, or give the publisher another " + what + ".");
        }
        return value;
    }

    /** The text itself, if AMQP can carry it as a short string. */
    static String fitting(String what, String text, Message message) {
        int length = text.getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST) {
            throw new HandlerException(
                    Verdict.PARK,
                    "A " + what + " of " + message + " has " + length + " bytes, and AMQP can carry " + LONGEST + ".");
        }
        return text;
    }
}
