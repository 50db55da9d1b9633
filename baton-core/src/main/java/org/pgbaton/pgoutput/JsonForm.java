package org.pgbaton.pgoutput;

/** How values of a type are written in JSON. */
public enum JsonForm {
    /** A string with PostgreSQL's text. */
    TEXT,
    /** A number with all its digits. JSON has no NaN and no infinity: they are strings. */
    NUMBER,
    BOOLEAN,
    /** The value itself. If it is nested more deeply than readers of JSON accept, a string. */
    JSON,
    /** ISO 8601: {@code 2030-01-31}; infinity: PostgreSQL's text. Years before 0 and after 9999: {@code -000043}, {@code +012345}. */
    DATE,
    /** ISO 8601: {@code 2030-01-31T12:00:00.5}; else as a date. */
    TIMESTAMP,
    /** The same with its offset: {@code 2030-01-31T12:00:00.5Z}, {@code …+01:00}. */
    TIMESTAMPTZ,
    /** {@code 12:00:00Z}, {@code 12:00:00+01:00}. */
    TIMETZ,
    /** Base64. */
    BYTES;

    /** Jackson reads 500 levels unless told otherwise; the change adds two. */
    private static final int DEEPEST = 400;

    void write(JsonBuffer json, byte[] text, int from, int to) {
        switch (this) {
            case TEXT -> json.string(text, from, to);
            case NUMBER -> number(json, text, from, to);
            case BOOLEAN -> bool(json, text, from, to);
            case JSON -> embedded(json, text, from, to);
            case DATE -> IsoText.date(json, text, from, to);
            case TIMESTAMP -> IsoText.timestamp(json, text, from, to);
            case TIMESTAMPTZ -> IsoText.timestampWithOffset(json, text, from, to);
            case TIMETZ -> IsoText.timeWithOffset(json, text, from, to);
            case BYTES -> json.base64(Hex.decode(text, from, to));
        }
    }

    private static void bool(JsonBuffer json, byte[] text, int from, int to) {
        if (to - from == 1 && (text[from] == 't' || text[from] == 'f')) {
            json.raw(text[from] == 't' ? "true" : "false");
        } else {
            json.string(text, from, to);
        }
    }

    private static void number(JsonBuffer json, byte[] text, int from, int to) {
        if (isNumber(text, from, to)) {
            json.raw(text, from, to);
        } else {
            json.string(text, from, to);
        }
    }

    private static boolean isNumber(byte[] text, int from, int to) {
        int at = from < to && text[from] == '-' ? from + 1 : from;
        int digits = digits(text, at, to);
        if (digits == 0 || (digits > 1 && text[at] == '0')) {
            return false;
        }
        at += digits;
        if (at < to && text[at] == '.') {
            digits = digits(text, at + 1, to);
            if (digits == 0) {
                return false;
            }
            at += 1 + digits;
        }
        if (at < to && (text[at] == 'e' || text[at] == 'E')) {
            at++;
            if (at < to && (text[at] == '+' || text[at] == '-')) {
                at++;
            }
            digits = digits(text, at, to);
            if (digits == 0) {
                return false;
            }
            at += digits;
        }
        return at == to;
    }

    private static int digits(byte[] text, int from, int to) {
        int at = from;
        while (at < to && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
        return at - from;
    }

    private static void embedded(JsonBuffer json, byte[] text, int from, int to) {
        if (to - from > 2 * DEEPEST && depth(text, from, to) > DEEPEST) {
            json.string(text, from, to);
        } else {
            json.raw(text, from, to);
        }
    }

    private static int depth(byte[] text, int from, int to) {
        int depth = 0;
        int deepest = 0;
        boolean inString = false;
        for (int i = from; i < to; i++) {
            byte c = text[i];
            if (c == '"') {
                inString = !inString;
            } else if (inString) {
                i += c == '\\' ? 1 : 0;
            } else if (c == '{' || c == '[') {
                deepest = Math.max(deepest, ++depth);
            } else if (c == '}' || c == ']') {
                depth--;
            }
        }
        return deepest;
    }
}
