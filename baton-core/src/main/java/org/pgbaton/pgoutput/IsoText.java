package org.pgbaton.pgoutput;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Converts PostgreSQL's text of a time, with {@code DateStyle = ISO}, to ISO 8601: a T between date and time, an offset with minutes, Z for
 * offset 0. Years before 0 and after 9999 have a sign and at least six digits, as in JavaScript and java.time: 44 BC is {@code -000043}. Infinity
 * stays as it is, because ISO 8601 has none.
 */
final class IsoText {
    private static final int DATE = 10;
    private static final int TIME = 8;

    /** Also years of more than four digits, and years BC. */
    private static final Pattern UNUSUAL = Pattern.compile(
            "(\\d{4,7})-(\\d\\d-\\d\\d)(?: (\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?)([+-]\\d\\d(?::\\d\\d){0,2})?)?( BC)?");

    private IsoText() {}

    static void date(JsonBuffer json, byte[] text, int from, int to) {
        if (to - from == DATE && matches("0000-00-00", text, from, to)) {
            json.raw('"');
            json.raw(text, from, to);
            json.raw('"');
        } else {
            unusual(json, text, from, to, false, false);
        }
    }

    /** A text without the parts that its type needs stays as it is. */
    private static void unusual(JsonBuffer json, byte[] text, int from, int to, boolean withTime, boolean withOffset) {
        Matcher parts = UNUSUAL.matcher(new String(text, from, to - from, StandardCharsets.ISO_8859_1));
        if (!parts.matches() || (parts.group(3) != null) != withTime || (parts.group(4) != null) != withOffset) {
            json.string(text, from, to);
            return;
        }
        int year = Integer.parseInt(parts.group(1));
        String time = parts.group(3);
        json.raw('"');
        json.raw(year(parts.group(5) == null ? year : 1 - year));
        json.raw('-');
        json.raw(parts.group(2));
        if (time != null) {
            json.raw('T');
            json.raw(time);
            json.raw(offset(parts.group(4)));
        }
        json.raw('"');
    }

    private static String year(int year) {
        String digits = String.valueOf(Math.abs(year));
        if (year >= 0 && year <= 9999) {
            return "0".repeat(4 - digits.length()) + digits;
        }
        return (year < 0 ? "-" : "+") + "0".repeat(Math.max(0, 6 - digits.length())) + digits;
    }

    private static String offset(@Nullable String text) {
        if (text == null) {
            return "";
        }
        return text.equals("+00") ? "Z" : text.length() == 3 ? text + ":00" : text;
    }

    static void timestamp(JsonBuffer json, byte[] text, int from, int to) {
        if (isDateAndTime(text, from, to) && fractionEnd(text, from + DATE + 1 + TIME, to) == to) {
            json.raw('"');
            dateAndTime(json, text, from, to);
            json.raw('"');
        } else {
            unusual(json, text, from, to, true, false);
        }
    }

    static void timestampWithOffset(JsonBuffer json, byte[] text, int from, int to) {
        int offset = isDateAndTime(text, from, to) ? fractionEnd(text, from + DATE + 1 + TIME, to) : to;
        if (isOffset(text, offset, to)) {
            json.raw('"');
            dateAndTime(json, text, from, offset);
            offset(json, text, offset, to);
            json.raw('"');
        } else {
            unusual(json, text, from, to, true, true);
        }
    }

    static void timeWithOffset(JsonBuffer json, byte[] text, int from, int to) {
        int offset = matches("00:00:00", text, from, to) ? fractionEnd(text, from + TIME, to) : to;
        if (isOffset(text, offset, to)) {
            json.raw('"');
            json.raw(text, from, offset);
            offset(json, text, offset, to);
            json.raw('"');
        } else {
            json.string(text, from, to);
        }
    }

    private static void dateAndTime(JsonBuffer json, byte[] text, int from, int to) {
        json.raw(text, from, from + DATE);
        json.raw('T');
        json.raw(text, from + DATE + 1, to);
    }

    private static void offset(JsonBuffer json, byte[] text, int from, int to) {
        if (to - from > 3) {
            json.raw(text, from, to);
        } else if (text[from] == '+' && text[from + 1] == '0' && text[from + 2] == '0') {
            json.raw('Z');
        } else {
            json.raw(text, from, to);
            json.raw(":00");
        }
    }

    private static boolean isDateAndTime(byte[] text, int from, int to) {
        return matches("0000-00-00 00:00:00", text, from, to);
    }

    private static int fractionEnd(byte[] text, int from, int to) {
        int at = from;
        if (at < to && text[at] == '.') {
            at++;
            while (at < to && isDigit(text[at])) {
                at++;
            }
        }
        return at;
    }

    /** +01, +05:30, -00:01:15 */
    private static boolean isOffset(byte[] text, int from, int to) {
        return from < to
                && (text[from] == '+' || text[from] == '-')
                && ((to - from == 3 && matches("00", text, from + 1, to))
                        || (to - from == 6 && matches("00:00", text, from + 1, to))
                        || (to - from == 9 && matches("00:00:00", text, from + 1, to)));
    }

    /** @param pattern a 0 stands for any digit; more may follow in the text */
    private static boolean matches(String pattern, byte[] text, int from, int to) {
        if (to - from < pattern.length()) {
            return false;
        }
        for (int i = 0; i < pattern.length(); i++) {
            byte c = text[from + i];
            char wanted = pattern.charAt(i);
            if (wanted == '0' ? !isDigit(c) : c != wanted) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }
}
