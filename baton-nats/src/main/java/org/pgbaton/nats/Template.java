package org.pgbaton.nats;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** A subject that can depend on the message: <code>{topic}</code>, <code>{key}</code> and <code>{type}</code> stand for the message's own. Immutable. */
final class Template {
    private static final Pattern PART = Pattern.compile("\\{([^{}]*)}");

    /** Tokens with dots between them, without wildcards and what NATS's protocol is made of. */
    private static final Pattern SUBJECT = Pattern.compile("[^.*>\\s\\p{Cntrl}]+(\\.[^.*>\\s\\p{Cntrl}]+)*");

    /** What NATS obeys or answers by: requests to JetStream and to the server, and the subjects of replies. */
    private static final Pattern OF_THE_SERVER = Pattern.compile("\\$(JS|SYS|SRV)(\\..*)?|_INBOX(\\..*)?");

    private final String text;

    private Template(String text) {
        this.text = text;
    }

    static Template parse(String text) {
        String unknown = PART.matcher(text).replaceAll(part -> switch (part.group(1)) {
            case "topic", "key", "type" -> "x";
            default -> Matcher.quoteReplacement(part.group());
        });
        if (unknown.contains("{") || unknown.contains("}")) {
            throw new IllegalArgumentException(
                    "The subject '" + text + "' has braces around something other than topic, key or type.");
        }
        if (!SUBJECT.matcher(unknown).matches()) {
            throw new IllegalArgumentException("The subject '" + text
                    + "' is none: give words with dots between them, without blanks, '*' and '>'.");
        }
        if (OF_THE_SERVER.matcher(text).matches()) {
            throw new IllegalArgumentException("The subject '" + text
                    + "' is one that NATS itself obeys or answers by: nothing can be published there.");
        }
        return new Template(text);
    }

    /** Whether it is the same for all messages. */
    boolean isFixed() {
        return !text.contains("{");
    }

    /** @throws HandlerException if it cannot be made for this message */
    String of(Message message) {
        if (isFixed()) {
            return text;
        }
        String made = PART.matcher(text)
                .replaceAll(part -> Matcher.quoteReplacement(
                        switch (part.group(1)) {
                            case "topic" -> present("topic", message.topic(), message);
                            case "type" -> present("type", message.type(), message);
                            default -> message.key();
                        }));
        if (!SUBJECT.matcher(made).matches()) {
            throw new HandlerException(
                    Verdict.PARK,
                    "The subject '" + text + "' makes none of " + message
                            + ": NATS wants words with dots between them, without blanks, '*' and '>'.");
        }
        // A beginning that the configuration gives, $KV.bucket for example, is its own affair; a message may not choose
        // one.
        if (text.startsWith("{") && (made.startsWith("$") || made.startsWith("_"))) {
            throw new HandlerException(
                    Verdict.PARK,
                    message + " makes the subject '" + made
                            + "', which messages may not choose: what begins with '$' or '_' are orders to NATS, and its own.");
        }
        return made;
    }

    private String present(String part, @Nullable String value, Message message) {
        if (value == null) {
            throw new HandlerException(
                    Verdict.PARK,
                    "The subject is '" + text + "', and " + message + " has no " + part
                            + "; write one with the message, or " + "give the publisher another subject.");
        }
        return value;
    }
}
