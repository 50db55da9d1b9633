package org.pgbaton.chaos.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;

/** Text as HTML and SVG take it. */
final class Html {
    private Html() {}

    /** Nothing but text, whatever it says; in attributes too. */
    static String text(String any) {
        StringBuilder safe = new StringBuilder(any.length() + 16);
        any.codePoints().forEach(each -> {
            switch (each) {
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '&' -> safe.append("&amp;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                case '`' -> safe.append("&#96;");
                default -> safe.appendCodePoint(Character.isISOControl(each) || isHalf(each) ? ' ' : each);
            }
        });
        return safe.toString();
    }

    private static boolean isHalf(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }

    /** No longer than that. */
    static String shortened(String any, int most) {
        return any.codePointCount(0, any.length()) <= most
                ? any
                : any.substring(0, any.offsetByCodePoints(0, most - 1)).stripTrailing() + "…";
    }

    /** As {@link String#format}, with a point in numbers wherever we are. */
    static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }

    static String resource(String name) {
        try (InputStream bytes = Objects.requireNonNull(Html.class.getResourceAsStream(name), name)) {
            return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
