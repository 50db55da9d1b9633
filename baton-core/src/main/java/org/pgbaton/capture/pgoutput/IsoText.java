package org.pgbaton.capture.pgoutput;

/**
 * From PostgreSQL's text of a time, {@code DateStyle = ISO}, to ISO 8601: a T between date and time, an offset with its minutes, Z for
 * none. What does not look like that (infinity, BC, a year of five digits) stays as it is, because ISO 8601 has no usual form for it.
 */
final class IsoText {
    private static final int DATE = 10;
    private static final int TIME = 8;

    private IsoText() {}

    static void timestamp(JsonBuffer json, byte[] text, int from, int to) {
        if (isDateAndTime(text, from, to) && fractionEnd(text, from + DATE + 1 + TIME, to) == to) {
            json.raw('"');
            dateAndTime(json, text, from, to);
            json.raw('"');
        } else {
            json.string(text, from, to);
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
            json.string(text, from, to);
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
