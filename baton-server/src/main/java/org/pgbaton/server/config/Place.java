package org.pgbaton.server.config;

import org.jspecify.annotations.Nullable;

/**
 * Where a value stands in a file, for sentences about it. Immutable.
 *
 * @param key its key, or its number in a list
 * @param section what the key belongs to; empty for the file itself
 * @param line of the key
 * @param secret whether its value must not be shown
 */
record Place(Reading reading, String key, String section, int line, boolean secret) {
    void problem(String sentence) {
        reading.problem(line, sentence);
    }

    /** "'workers' in relay 'trades'". */
    String name() {
        return "'" + key + "'" + in(section);
    }

    static String in(String section) {
        return section.isEmpty() ? "" : " in " + section;
    }

    /** Notes that the value is not what it must be. The sentence shows the value, unless it may be a secret. */
    void mustBe(String expected, Value value) {
        mustBe(expected, value, "");
    }

    /** @param hint the end of the sentence */
    void mustBe(String expected, Value value, String hint) {
        if (!(value instanceof Value.Refused)) {
            problem(name() + " must be " + expected + shown(value) + hint);
        }
    }

    private String shown(Value value) {
        if (!(value instanceof Value.Text text) || text.absent()) {
            return ", not " + value.what();
        }
        if (secret) {
            return "";
        }
        String written = text.text().replaceAll("\\p{Cntrl}", "?");
        String shortened = written.length() <= 60 ? written : written.substring(0, 59) + "…";
        // The value of a variable is not shown: it may be a secret.
        return Reading.refers(written) ? ", and what " + shortened + " stands for is not" : ", not '" + shortened + "'";
    }

    /** The text that is written, with its references resolved. Returns null, and notes a problem, if the value is no text. */
    @Nullable
    String text(Value value, String expected) {
        if (value instanceof Value.Text text && !text.absent()) {
            return reading.resolved(text.text(), line);
        }
        mustBe(expected, value);
        return null;
    }

    /** The place of one of several values of the key. */
    Place at(int valueLine) {
        return new Place(reading, key, section, valueLine, secret);
    }

    /** The same place, with a value that must not be shown. */
    Place hidden() {
        return new Place(reading, key, section, line, true);
    }
}
