package org.pgbaton.database;

import org.jspecify.annotations.Nullable;

/**
 * Text from outside (keys, names, errors, payloads) as it may stand in a log line or on a terminal: one line, in which nothing can begin
 * another line, move the cursor, change colours or turn the direction of writing. What could is shown as an escape, {@code \n} or
 * {@code \u001b}. The only place that decides this. Thread-safe.
 */
public final class Printable {
    private Printable() {}

    /** One line. */
    public static String line(@Nullable Object text) {
        return escaped(String.valueOf(text), false);
    }

    /** Of several lines, if the text has them; tabs stay, too. */
    public static String lines(@Nullable Object text) {
        return escaped(String.valueOf(text), true);
    }

    private static String escaped(String text, boolean severalLines) {
        int first = firstToEscape(text, severalLines);
        if (first == text.length()) {
            return text; // almost always
        }
        StringBuilder safe = new StringBuilder(text.length() + 16).append(text, 0, first);
        for (int i = first; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isToEscape(c, severalLines)) {
                safe.append(c);
            } else {
                switch (c) {
                    case '\n' -> safe.append("\\n");
                    case '\r' -> safe.append("\\r");
                    case '\t' -> safe.append("\\t");
                    default -> safe.append(String.format("\\u%04x", (int) c));
                }
            }
        }
        return safe.toString();
    }

    private static int firstToEscape(String text, boolean severalLines) {
        int i = 0;
        while (i < text.length() && !isToEscape(text.charAt(i), severalLines)) {
            i++;
        }
        return i;
    }

    /** Control characters, line and paragraph separators, and what changes the direction of writing. */
    private static boolean isToEscape(char c, boolean severalLines) {
        if (severalLines && (c == '\n' || c == '\t')) {
            return false;
        }
        return c < ' '
                || (c >= 0x7f && c <= 0x9f)
                || c == 0x200e
                || c == 0x200f
                || (c >= 0x2028 && c <= 0x202e)
                || (c >= 0x2066 && c <= 0x2069);
    }
}
