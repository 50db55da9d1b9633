package org.pgbaton.bench;

import java.util.LinkedHashMap;
import java.util.Map;

/** The options that a contestant's class gets. Needs nothing but the JDK. */
public final class Options {
    private Options() {}

    /**
     * Of the form {@code name=value}.
     *
     * @param skip the number of arguments at the front that are no options
     */
    public static Map<String, String> parse(String[] arguments, int skip) {
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = skip; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            options.put(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
        }
        return options;
    }

    public static String of(Map<String, String> options, String name) {
        String value = options.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + "=… is missing");
        }
        return value;
    }
}
