package org.pgbaton.pgoutput;

/**
 * Converts PostgreSQL's text of an array to JSON: {@code {1,NULL,"a b"}}, {@code {{1,2},{3,4}}}, {@code [0:1]={1,2}}. The bounds of an array
 * whose first element is not number 1 are left out, since JSON has none.
 */
final class ArrayText {
    private final JsonBuffer json;
    private final JsonForm form;
    private final char delimiter;
    private final byte[] text;
    private final int end;
    private int at;

    private ArrayText(JsonBuffer json, JsonForm form, char delimiter, byte[] text, int from, int to) {
        this.json = json;
        this.form = form;
        this.delimiter = delimiter;
        this.text = text;
        this.at = from;
        this.end = to;
    }

    /** A text that is not an array becomes a string. */
    static void write(JsonBuffer json, JsonForm form, char delimiter, byte[] text, int from, int to) {
        int before = json.length();
        if (!new ArrayText(json, form, delimiter, text, from, to).copy()) {
            json.backTo(before);
            json.string(text, from, to);
        }
    }

    private boolean copy() {
        bounds();
        int depth = 0;
        while (true) {
            if (here() == '{') {
                at++;
                json.raw('[');
                depth++;
                if (here() != '}') {
                    continue;
                }
            } else if (depth == 0 || !element()) {
                return false;
            }
            while (here() == '}') {
                at++;
                json.raw(']');
                if (--depth == 0) {
                    return at == end;
                }
            }
            if (here() != delimiter) {
                return false;
            }
            at++;
            json.raw(',');
        }
    }

    /** {@code [0:2][-1:1]=} */
    private void bounds() {
        if (here() == '[') {
            while (at < end && text[at] != '=') {
                at++;
            }
            at++;
        }
    }

    private int here() {
        return at < end ? text[at] : -1;
    }

    private boolean element() {
        return here() == '"' ? quoted() : bare();
    }

    private boolean bare() {
        int start = at;
        while (at < end && text[at] != delimiter && text[at] != '}') {
            at++;
        }
        if (at == start) {
            return false;
        }
        if (at - start == 4
                && text[start] == 'N'
                && text[start + 1] == 'U'
                && text[start + 2] == 'L'
                && text[start + 3] == 'L') {
            json.raw("null");
        } else {
            form.write(json, text, start, at);
        }
        return true;
    }

    private boolean quoted() {
        int start = ++at;
        while (at < end && text[at] != '"' && text[at] != '\\') {
            at++;
        }
        if (here() == '"') {
            form.write(json, text, start, at++);
            return true;
        }
        return escaped(start);
    }

    private boolean escaped(int start) {
        byte[] plain = json.scratch(end - start);
        int length = 0;
        for (at = start; at < end && text[at] != '"'; at++) {
            if (text[at] == '\\' && ++at == end) {
                return false;
            }
            plain[length++] = text[at];
        }
        if (at == end) {
            return false;
        }
        at++;
        form.write(json, plain, 0, length);
        return true;
    }
}
