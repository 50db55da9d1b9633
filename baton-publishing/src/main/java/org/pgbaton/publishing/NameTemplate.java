package org.pgbaton.publishing;

import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * A name that can depend on the message: <code>{topic}</code>, <code>{key}</code> and <code>{type}</code> stand for the message's own.
 * Immutable.
 */
public final class NameTemplate {
    private static final Pattern KNOWN = Pattern.compile("\\{(topic|key|type)}");

    private final String what;
    private final String text;

    private NameTemplate(String what, String text) {
        this.what = what;
        this.text = text;
    }

    /**
     * Reads a template.
     *
     * @param what the kind of name, for errors: {@code subject}
     * @throws IllegalArgumentException if there is another placeholder
     */
    public static NameTemplate parse(String what, String text) {
        String unknown = KNOWN.matcher(text).replaceAll("");
        if (unknown.contains("{") || unknown.contains("}")) {
            throw new IllegalArgumentException(
                    "The " + what + " '" + text + "' has braces around something other than topic, key or type.");
        }
        return new NameTemplate(what, text);
    }

    /** Whether the name is the same for all messages. */
    public boolean isFixed() {
        return !text.contains("{");
    }

    /** Whether the message decides how the name begins. */
    public boolean beginsWithPlaceholder() {
        return text.startsWith("{");
    }

    /** The name with this text for every placeholder. */
    public String filledWith(String sample) {
        return filled(placeholder -> sample);
    }

    /**
     * The name for a message.
     *
     * @throws HandlerException if the template needs a topic or type, and the message has none
     */
    public String of(Message message) {
        return isFixed()
                ? text
                : filled(placeholder -> switch (placeholder.group(1)) {
                    case "topic" -> present("topic", message.topic(), message);
                    case "type" -> present("type", message.type(), message);
                    default -> message.key();
                });
    }

    private String filled(Function<MatchResult, String> values) {
        return KNOWN.matcher(text).replaceAll(values.andThen(Matcher::quoteReplacement));
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

    /** The template as it was written. */
    @Override
    public String toString() {
        return text;
    }
}
