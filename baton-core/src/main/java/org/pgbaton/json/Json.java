package org.pgbaton.json;

import java.util.BitSet;
import java.util.Map;

/**
 * Just enough JSON: is this text one, and a map of headers as an object. What passes here PostgreSQL accepts as {@code
 * json}, so that a mistake is found before it costs the caller a transaction. Nesting is not limited here; PostgreSQL's
 * stack is.
 */
public final class Json {
    private final String what;
    private final String text;
    private int at;

    private Json(String what, String text) {
        this.what = what;
        this.text = text;
    }

    /** @param what what it is, for the sentence: "The payload" */
    public static String checked(String what, String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException(
                    what + " is empty, which is no JSON: give a value, for instance null, or append bytes.");
        }
        new Json(what, text).document();
        return text;
    }

    public static String checkedObject(String what, String text) {
        if (!checked(what, text).stripLeading().startsWith("{")) {
            throw new IllegalArgumentException(what + " must be a JSON object: {\"name\": …}.");
        }
        return text;
    }

    /** Whether a text that is known to be a JSON object has no object or array in it. */
    public static boolean isFlat(String object) {
        boolean inside = false;
        int brackets = 0;
        for (int i = 0; i < object.length(); i++) {
            char c = object.charAt(i);
            if (c == '"') {
                inside = !inside;
            } else if (inside && c == '\\') {
                i++;
            } else if (!inside && (c == '{' || c == '[')) {
                brackets++;
            }
        }
        return brackets == 1;
    }

    public static String object(Map<String, String> entries) {
        StringBuilder json = new StringBuilder("{");
        entries.forEach((name, value) -> {
            json.append(json.length() == 1 ? "" : ",");
            quote(json, name);
            json.append(':');
            quote(json, value);
        });
        return json.append('}').toString();
    }

    /** The object with one entry more, at its end, where it wins over one of the same name. */
    public static String with(String object, String name, String value) {
        String open = object.substring(0, object.lastIndexOf('}')).stripTrailing();
        StringBuilder json = new StringBuilder(open).append(open.endsWith("{") ? "" : ",");
        quote(json, name);
        quote(json.append(':'), value);
        return json.append('}').toString();
    }

    private static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }

    /** Without recursion: whoever sends a million brackets gets an answer from PostgreSQL, not a stack overflow. */
    private void document() {
        BitSet isObject = new BitSet();
        int depth = 0;
        while (true) {
            char opening = next();
            if (opening == '{' || opening == '[') {
                char closing = opening == '{' ? '}' : ']';
                if (peek() != closing) {
                    isObject.set(depth++, opening == '{');
                    if (opening == '{') {
                        name();
                    }
                    continue;
                }
                at++;
            } else {
                scalar(opening);
            }
            depth = afterValue(isObject, depth);
            if (depth < 0) {
                return;
            }
        }
    }

    /** @return the depth at which another value must follow; -1 at the end of the document */
    private int afterValue(BitSet isObject, int from) {
        int depth = from;
        while (depth > 0) {
            boolean object = isObject.get(depth - 1);
            char c = next();
            if (c == ',') {
                if (object) {
                    name();
                }
                return depth;
            }
            if (c != (object ? '}' : ']')) {
                throw unexpected(at - 1);
            }
            depth--;
        }
        space();
        if (at < text.length()) {
            throw unexpected(at);
        }
        return -1;
    }

    private void name() {
        if (next() != '"') {
            throw unexpected(at - 1);
        }
        string();
        if (next() != ':') {
            throw unexpected(at - 1);
        }
    }

    private void scalar(char first) {
        switch (first) {
            case '"' -> string();
            case 't' -> literal("rue");
            case 'f' -> literal("alse");
            case 'n' -> literal("ull");
            default -> number(first);
        }
    }

    private void string() {
        while (true) {
            char c = read();
            if (c == '"') {
                return;
            }
            if (c < ' ') {
                throw unexpected(at - 1);
            }
            if (c == '\\') {
                escape();
            }
        }
    }

    private void escape() {
        char c = read();
        if (c == 'u') {
            for (int i = 0; i < 4; i++) {
                if (!isHexadecimal(read())) {
                    throw unexpected(at - 1);
                }
            }
        } else if ("\"\\/bfnrt".indexOf(c) < 0) {
            throw unexpected(at - 1);
        }
    }

    private static boolean isHexadecimal(char c) {
        return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private void literal(String rest) {
        for (int i = 0; i < rest.length(); i++) {
            if (read() != rest.charAt(i)) {
                throw unexpected(at - 1);
            }
        }
    }

    private void number(char first) {
        char c = first == '-' ? read() : first;
        if (!isDigit(c)) {
            throw unexpected(at - 1);
        }
        if (c != '0') {
            digits();
        }
        if (here() == '.') {
            at++;
            atLeastOneDigit();
        }
        if (here() == 'e' || here() == 'E') {
            at++;
            if (here() == '+' || here() == '-') {
                at++;
            }
            atLeastOneDigit();
        }
    }

    private void atLeastOneDigit() {
        if (!isDigit(read())) {
            throw unexpected(at - 1);
        }
        digits();
    }

    private void digits() {
        while (isDigit(here())) {
            at++;
        }
    }

    /** The present character, or NUL at the end; a NUL in the text is refused wherever it stands. */
    private char here() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private char read() {
        if (at >= text.length()) {
            throw new IllegalArgumentException(what + " is no JSON: it ends too early, after " + at + " characters.");
        }
        return text.charAt(at++);
    }

    private char next() {
        space();
        return read();
    }

    private char peek() {
        space();
        return here();
    }

    private void space() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private IllegalArgumentException unexpected(int where) {
        char c = text.charAt(where);
        String shown = c <= ' ' || Character.isISOControl(c) ? String.format("U+%04X", (int) c) : "'" + c + "'";
        return new IllegalArgumentException(
                what + " is no JSON: unexpected " + shown + " at character " + (where + 1) + ".");
    }
}
