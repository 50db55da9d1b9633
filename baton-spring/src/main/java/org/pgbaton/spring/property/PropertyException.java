package org.pgbaton.spring.property;

import java.util.Locale;
import java.util.regex.Pattern;
import org.pgbaton.database.BatonException;

/** Properties that make no sense, or that need a module which is not there. The message names the property. */
public final class PropertyException extends BatonException {
    private static final long serialVersionUID = 1L;

    private static final Pattern CALL = Pattern.compile("\\b([a-z]+[A-Za-z]*)\\((\\.\\.\\.|true|false)\\)");

    private final String action;

    /**
     * Names the property and says what to do.
     *
     * @param action for the second part of Boot's report
     */
    public PropertyException(String message, String action) {
        super(message, null);
        this.action = action;
    }

    /** From a refusal of a builder, which names its methods, such as allowPrivate(true): here they become properties. */
    public static PropertyException of(String property, IllegalArgumentException refusal) {
        String sentence = CALL.matcher(String.valueOf(refusal.getMessage())).replaceAll(call -> {
            String key = call.group(1).replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            return key + (call.group(2).matches("\\w+") ? "=" + call.group(2) : "");
        });
        return new PropertyException(
                property + ": " + sentence.replace("header(\"Authorization\", …)", "headers.Authorization"),
                "Correct the properties under " + property + ".");
    }

    /** What to do. */
    public String action() {
        return action;
    }
}
