package org.pgbaton.server.command;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How the lines on standard error look. */
public enum LogFormat {
    /** Messages of commands are plain sentences; log lines have date and level. */
    TEXT,
    /** Every line has date and level. */
    PLAIN,
    /** Every line is a JSON object: date, level, logger, message, and fields such as subscription, lane, key, position and epoch. */
    JSON;

    private static final String PREFIX = "baton: ";

    private static volatile LogFormat current = TEXT;

    /** From now on. */
    public static void use(LogFormat format) {
        current = format;
    }

    public static LogFormat current() {
        return current;
    }

    /** A sentence of a command as a line. */
    static String line(String level, String sentence) {
        return switch (current) {
            case TEXT -> sentence;
            case PLAIN -> now() + " " + String.format(Locale.ROOT, "%-5s", level) + " " + withoutPrefix(sentence);
            case JSON -> json(now(), level, "baton", withoutPrefix(sentence), Map.of());
        };
    }

    /** A line in JSON. */
    public static String json(
            String date, String level, String logger, @Nullable String message, Map<String, ?> fields) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("date", date);
        all.put("level", level);
        all.put("logger", logger);
        all.put("message", message);
        all.putAll(fields);
        return Output.jsonLine(all);
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private static String withoutPrefix(String sentence) {
        return sentence.startsWith(PREFIX) ? sentence.substring(PREFIX.length()) : sentence;
    }
}
