package org.pgbaton.rabbitmq;

import java.nio.charset.StandardCharsets;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.NameTemplate;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** The name of an exchange, or a routing key, which can depend on the message. Immutable. */
final class AmqpNameTemplate {
    /** The most bytes that AMQP's short strings can hold, in UTF-8. */
    static final int LONGEST = 255;

    private static final String RESERVED = "amq.";

    private final String what;
    private final NameTemplate template;

    private AmqpNameTemplate(String what, NameTemplate template) {
        this.what = what;
        this.template = template;
    }

    /** @param what the kind of name, for errors */
    static AmqpNameTemplate parse(String what, String text) {
        return new AmqpNameTemplate(what, NameTemplate.parse(what, text));
    }

    /** Whether it is the same for all messages. */
    boolean isFixed() {
        return template.isFixed();
    }

    /** @throws HandlerException if it cannot be made for this message */
    String of(Message message) {
        return fitting(what, template.of(message), message);
    }

    /**
     * The same, for a name that means something to RabbitMQ if it begins with {@code amq.}: its own exchanges, and
     * reply queues. A message may not choose such a name; the configuration may.
     */
    String unreserved(Message message) {
        String made = of(message);
        if (template.beginsWithPlaceholder() && made.startsWith(RESERVED)) {
            throw new HandlerException(
                    Verdict.PARK,
                    message + " makes the " + what + " '" + made
                            + "', which messages may not choose: what begins with 'amq.' is RabbitMQ's own.");
        }
        return made;
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
