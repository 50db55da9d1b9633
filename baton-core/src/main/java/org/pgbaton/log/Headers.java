package org.pgbaton.log;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the entries of a JSON object that PostgreSQL has accepted as {@code json}: so it looks for ends, not for mistakes. */
final class Headers {
    private final String text;
    private int at;

    private Headers(String text) {
        this.text = text;
    }

    /** Strings as they are, anything else as its JSON text; a null is no header. Of a name that is there twice, the last one counts. */
    static Map<String, String> of(@Nullable String json) {
        return json == null ? Map.of() : Collections.unmodifiableMap(new Headers(json).entries());
    }

    private Map<String, String> entries() {
        Map<String, String> entries = new LinkedHashMap<>();
        if (peek() != '{') {
            return entries;
        }
        at++;
        while (peek() == '"') {
            String name = string();
            expect(':');
            String value = peek() == '"' ? string() : raw();
            if (value.equals("null") && text.charAt(at - 1) != '"') {
                entries.remove(name);
            } else {
                entries.put(name, value);
            }
            if (peek() == ',') {
                at++;
            }
        }
        return entries;
    }

    private void expect(char c) {
        if (peek() != c) {
            throw new IllegalArgumentException("The headers are no JSON object: " + text);
        }
        at++;
    }

    private char peek() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private String string() {
        StringBuilder value = new StringBuilder();
        at++;
        while (text.charAt(at) != '"') {
            char c = text.charAt(at++);
            value.append(c == '\\' ? escaped() : c);
        }
        at++;
        return value.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        return switch (c) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                at += 4;
                yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            default -> c;
        };
    }

    /** A number, a literal, an array or an object, up to the comma or bracket that ends it. */
    private String raw() {
        int start = at;
        int depth = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '"') {
                string();
                continue;
            }
            if (depth == 0 && (c == ',' || c == '}')) {
                break;
            }
            depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            at++;
        }
        return text.substring(start, at).strip();
    }
}
